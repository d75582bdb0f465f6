package asset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"sync"
)

// Packer compresses contents. It keeps its writers for the next content, because
// each needs almost a megabyte of memory. The zero value is ready.
type Packer struct{ writers sync.Pool }

// Gzip compresses content.
func (p *Packer) Gzip(content []byte) ([]byte, error) {
	var b bytes.Buffer
	w, ok := p.writers.Get().(*gzip.Writer)
	if ok {
		w.Reset(&b)
	} else {
		w = gzip.NewWriter(&b)
	}
	defer p.writers.Put(w)
	if _, err := w.Write(content); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return b.Bytes(), nil
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read the content: %w", err)
	}
	return content, nil
}
