package config

import (
	"errors"
	"net/url"
)

// checkBlob only accepts the address of an S3 bucket. Package blob reads the
// parameters after the ?.
func (s *Serve) checkBlob() error {
	if s.BlobURL == "" {
		return nil
	}
	u, err := url.Parse(s.BlobURL)
	if err != nil || u.Scheme != "s3" || u.Hostname() == "" || u.Port() != "" || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return errors.New("--blob-url must name an S3 bucket, such as s3://bucket?region=eu-central-1; leave it out for files in the data directory") // without the text: it may hold a password
	}
	if u.User != nil {
		return errors.New("--blob-url must not hold credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	}
	return nil
}
