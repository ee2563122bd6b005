// Package unsafeio has what needs care: the module's only unsafe code, with safe
// twins behind the build tag kafkawiresafe; memory that faults when it is read
// past its end, for tests; and files mapped into memory.
package unsafeio
