package check

// Many inputs, all readers.

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/kafkawire/kafkawire/internal/unsafeio"
)

// Counts is what became of the inputs.
type Counts struct {
	Executions, Accepted int
	Odd                  map[string]int // accepted inputs that a writer would write in another way, by that way
	Refused              map[string]int // by sentinel
	Differences          int
	First                []string // the first difference of each message, in words
}

// maxFirst is how many differences are kept in words.
const maxFirst = 20

func newCounts() *Counts { return &Counts{Odd: map[string]int{}, Refused: map[string]int{}} }

func (c *Counts) add(v Verdict, err error) {
	c.Executions++
	switch {
	case err != nil:
		if c.Differences++; len(c.First) == 0 {
			c.First = append(c.First, err.Error())
		}
	case v.Accepted:
		c.Accepted++
		for _, name := range v.Odd.Names() {
			c.Odd[name]++
		}
	default:
		c.Refused[v.Err.Err.Error()]++
	}
}

func (c *Counts) join(d *Counts) {
	c.Executions += d.Executions
	c.Accepted += d.Accepted
	c.Differences += d.Differences
	for k, n := range d.Odd {
		c.Odd[k] += n
	}
	for k, n := range d.Refused {
		c.Refused[k] += n
	}
	c.First = append(c.First, d.First...)
	c.First = c.First[:min(len(c.First), maxFirst)]
}

// WriteTo prints the counts, one a line.
func (c *Counts) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "executions\t%d\naccepted\t%d\n", c.Executions, c.Accepted)
	for _, k := range slices.Sorted(maps.Keys(c.Odd)) {
		fmt.Fprintf(&b, "accepted, %s\t%d\n", k, c.Odd[k])
	}
	for _, k := range slices.Sorted(maps.Keys(c.Refused)) {
		fmt.Fprintf(&b, "refused, %s\t%d\n", k, c.Refused[k])
	}
	fmt.Fprintf(&b, "differences\t%d\n", c.Differences)
	for _, text := range c.First {
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// Loop checks n inputs, as many for each message, in some goroutines. Equal seeds
// give equal inputs. Every input ends at a guard page. seeds are bodies to start
// from, by message; progress is called now and then with what is done.
func Loop(messages []*Message, seeds map[*Message][][]byte, n int, seed uint64, workers int, progress func(done int)) *Counts {
	total, next, done := newCounts(), 0, 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			room, free := unsafeio.Guarded(make([]byte, maxInput))
			defer free()
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(messages) {
					return
				}
				share := n*(i+1)/len(messages) - n*i/len(messages)
				m := messages[i]
				counts := m.loop(seeds[m], share, rand.New(rand.NewPCG(seed, uint64(i))), room)
				mu.Lock()
				total.join(counts)
				if done += share; progress != nil {
					progress(done)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return total
}

// loop checks n inputs of one message.
func (m *Message) loop(seeds [][]byte, n int, r *rand.Rand, room []byte) *Counts {
	counts, u, c := newCounts(), NewMutator(m, r), m.Checker()
	for _, body := range seeds {
		u.Seed(body)
	}
	for range n {
		input := u.Next()
		body := room[len(room)-len(input):]
		copy(body, input)
		v, err := c.Check(body)
		counts.add(v, err)
		if v.Accepted && r.IntN(8) == 0 {
			u.Seed(body)
		}
	}
	return counts
}

// Seeds are the vectors of all flavors as seeds of their messages. A body also
// goes to the other versions of the same message.
func Seeds(messages []*Message) (map[*Message][][]byte, error) {
	seeds := map[*Message][][]byte{}
	for _, file := range []string{"vectors", "data"} {
		lines, err := Lines(file)
		if err != nil {
			return nil, err
		}
		bodies := map[string][][]byte{}
		for i := range lines {
			l := &lines[i]
			name := l.Name
			if l.Kind != "" {
				name += strings.ToUpper(l.Kind[:1]) + l.Kind[1:]
			}
			bodies[fmt.Sprint(name, l.Version)] = append(bodies[fmt.Sprint(name, l.Version)], l.Body())
		}
		for _, m := range messages {
			for d := int16(-1); d <= 1; d++ {
				seeds[m] = append(seeds[m], bodies[fmt.Sprint(m.Schema.Name, m.Version+d)]...)
			}
		}
	}
	return seeds, nil
}
