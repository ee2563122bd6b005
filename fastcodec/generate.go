package fastcodec

//go:generate go run ../internal/gen ..
