package inputs

import "testing"

func TestSizesAreAsStated(t *testing.T) {
	for _, test := range []struct {
		frame       Frame
		least, most int
	}{
		{SmallQuorum(), 193, 193},
		{Quorum3x5x5(), 1_650, 1_750},
		{Metadata10x12(), 5_700, 5_850},
		{Metadata100x10(), 45_500, 46_500},
	} {
		if n := len(test.frame.Body); n < test.least || n > test.most {
			t.Errorf("%s: %d bytes, want %d to %d", test.frame.Name, n, test.least, test.most)
		}
	}
}
