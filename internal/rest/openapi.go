package rest

func (d *Door) describe() ([]byte, error) { return nil, nil }
