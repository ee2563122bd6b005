//go:build !race && !386 && !kafkawiresafe && !kafkawiredebug

// Says that these tests run in the plain build, with all inputs.

package kview_test

const reduced = false
