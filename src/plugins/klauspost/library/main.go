// The C functions of the plugin klauspost (foreign_code.h). The chunks are in the caller's memory. The goroutine that receives a
// call also does all the work of this call. Every error of the library is reported.
package main

/*
#include <stddef.h>
#include <stdint.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/cgo"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/klauspost/reedsolomon"
)

// The results of encode and decode. 0 means success.
const (
	refused  = 1 // the library returned an error
	panicked = 2 // the library panicked
	strayed  = 3 // the library did not rebuild a chunk, or wrote it to other memory
)

type code struct {
	encoders []reedsolomon.Encoder // the index is the number of chunks that a decode does not read; index 0 is for encode
	k        int
	calls    sync.Pool // contains values of type *call; without this pool, each encode and decode would allocate such a value
}

// call contains the arguments for the library.
type call struct {
	shards   [][]byte
	required []bool
}

// Leopard over GF(2^8) caches the decode plan of a set of lost chunks under a key. Another set with more lost chunks may have the
// same key. Example with version 1.14.2 and 8+4: in the first call, chunk 0 is lost; in a later call, chunks 0 and 1 are lost. The
// later call returns wrong bytes without an error. Two sets with the same number of lost chunks never share a key. Therefore, with
// technique leopard_gf8, each number of lost chunks has its own encoder.
func newCode(technique string, k, m int, level string) (*code, error) {
	if technique == "leopard_gf8" && !hasLeopard8 {
		return nil, errors.New("this version has no Leopard over GF(2^8)")
	}
	options := append(levelOptions(level), reedsolomon.WithMaxGoroutines(1))
	options = append(options, techniqueOptions[technique]...)
	c := &code{encoders: make([]reedsolomon.Encoder, m+1), k: k}
	for lost := range c.encoders {
		if lost > 0 && technique != "leopard_gf8" {
			c.encoders[lost] = c.encoders[0]
			continue
		}
		var err error
		if c.encoders[lost], err = reedsolomon.New(k, m, options...); err != nil {
			return nil, err
		}
	}
	c.calls.New = func() any { return &call{make([][]byte, k+m), make([]bool, k+m)} }
	return c, nil
}

// outcome returns the result code for an error or a panic of the library.
func outcome(err error, panicValue any) C.int {
	switch {
	case panicValue != nil:
		return panicked
	case err != nil:
		return refused
	}
	return 0
}

func put(text string, buffer *C.char, size C.size_t) {
	if size == 0 {
		return
	}
	to := unsafe.Slice((*byte)(unsafe.Pointer(buffer)), int(size))
	to[copy(to[:size-1], strings.ReplaceAll(text, "\n", " "))] = 0
}

//export klauspost_make
func klauspost_make(technique *C.char, k, m C.int, level, message *C.char, messageSize C.size_t) (handle C.uint64_t) {
	defer func() {
		if why := recover(); why != nil {
			put(fmt.Sprint("klauspost/reedsolomon panicked: ", why), message, messageSize)
			handle = 0
		}
	}()
	made, err := newCode(C.GoString(technique), int(k), int(m), C.GoString(level))
	if err != nil {
		put("klauspost/reedsolomon: "+err.Error(), message, messageSize)
		return 0
	}
	return C.uint64_t(cgo.NewHandle(made))
}

//export klauspost_drop
func klauspost_drop(handle C.uint64_t) {
	cgo.Handle(handle).Delete()
}

//export klauspost_encode
func klauspost_encode(handle C.uint64_t, data, coding **C.uint8_t, chunkSize C.size_t) (result C.int) {
	var err error
	defer func() { result = outcome(err, recover()) }()
	c := cgo.Handle(handle).Value().(*code)
	own := c.calls.Get().(*call)
	defer c.calls.Put(own)
	for i, chunk := range unsafe.Slice((**byte)(unsafe.Pointer(data)), c.k) {
		own.shards[i] = unsafe.Slice(chunk, int(chunkSize))
	}
	for i, chunk := range unsafe.Slice((**byte)(unsafe.Pointer(coding)), len(own.shards)-c.k) {
		own.shards[c.k+i] = unsafe.Slice(chunk, int(chunkSize))
	}
	err = c.encoders[0].Encode(own.shards)
	return
}

// someRebuildsCoding reports whether ReconstructSome rebuilds coding chunks. In older versions of the library, such as 1.11.0,
// ReconstructSome rebuilds only data chunks and returns no error. bench.sh gate ab --go-module can build the plugin with such a
// version.
var someRebuildsCoding = sync.OnceValue(func() bool {
	encoder, err := reedsolomon.New(1, 1)
	shards := [][]byte{make([]byte, 64), nil}
	return err == nil && encoder.ReconstructSome(shards, []bool{false, true}) == nil && len(shards[1]) > 0
})

// For each chunk that must be rebuilt, klauspost_decode passes an empty slice to the library. The capacity of the slice is the
// memory of the chunk. The library writes the rebuilt chunk into this memory.
//
//export klauspost_decode
func klauspost_decode(handle C.uint64_t, chunks **C.uint8_t, isRead, isRebuilt *C.uint8_t, chunkSize C.size_t) (result C.int) {
	var err error
	stray := false
	defer func() {
		if result = outcome(err, recover()); result == 0 && stray {
			result = strayed
		}
	}()
	c := cgo.Handle(handle).Value().(*code)
	own := c.calls.Get().(*call)
	defer c.calls.Put(own)
	n := len(own.shards)
	all := unsafe.Slice((**byte)(unsafe.Pointer(chunks)), n)
	read := unsafe.Slice((*byte)(unsafe.Pointer(isRead)), n)
	rebuilt := unsafe.Slice((*byte)(unsafe.Pointer(isRebuilt)), n)
	lost := n
	for i := range own.shards {
		own.required[i] = rebuilt[i] != 0
		switch {
		case read[i] != 0:
			lost--
			own.shards[i] = unsafe.Slice(all[i], int(chunkSize))
		case rebuilt[i] != 0:
			own.shards[i] = unsafe.Slice(all[i], int(chunkSize))[:0]
		default:
			own.shards[i] = nil
		}
	}
	if slices.Contains(own.required[c.k:], true) && !someRebuildsCoding() {
		err = c.encoders[lost].Reconstruct(own.shards)
	} else {
		err = c.encoders[lost].ReconstructSome(own.shards, own.required)
	}
	for i, shard := range own.shards {
		if own.required[i] && (len(shard) != int(chunkSize) || unsafe.SliceData(shard) != all[i]) {
			stray = true
		}
	}
	return
}

//export klauspost_nothing
func klauspost_nothing() {}

//export klauspost_kernel
func klauspost_kernel(technique *C.char, k, m C.int, level, text *C.char, textSize C.size_t) {
	put(kernel(C.GoString(technique), int(k), int(m), C.GoString(level)), text, textSize)
}

//export klauspost_set_threads
func klauspost_set_threads(threads C.int) {
	runtime.GOMAXPROCS(int(threads))
}

//export klauspost_versions
func klauspost_versions(text *C.char, textSize C.size_t) {
	version := "of unknown version"
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == "github.com/klauspost/reedsolomon" {
				version = strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	put("klauspost/reedsolomon "+version+" (Go "+strings.TrimPrefix(runtime.Version(), "go")+")", text, textSize)
}

// If Go's runtime has a fatal error, for example because it is out of memory, a signal must end the process. By default, the
// runtime exits with code 2. In ecbench, exit code 2 means wrong bytes.
func init() {
	debug.SetTraceback("crash")
}

func main() {}
