//go:build race || 386 || kafkawiresafe || kafkawiredebug

// Says that these tests run in one of the slow or special builds, in which they
// leave out inputs that the plain build has.

package kview_test

const reduced = true
