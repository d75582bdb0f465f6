package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"

	"gocloud.dev/gcerrors"
)

// translate turns the errors of the stores into those of this package.
func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNoSpaceToWait):
		return err
	case full(err):
		return fmt.Errorf("%w: %w", ErrFull, err)
	case gcerrors.Code(err) == gcerrors.NotFound:
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return err
}

// answered marks an error of a request to an S3 server as ErrNoAnswer if no answer came,
// or one that reports a failure there or too many requests. It does not change the error of
// a request that the caller has cancelled.
func answered(err error) error {
	if err == nil || err == io.EOF || errors.Is(err, context.Canceled) || full(err) { //nolint:errorlint // a connection that was closed is an EOF too, inside
		return err
	}
	var answer interface{ HTTPStatusCode() int }
	if errors.As(err, &answer) && answer.HTTPStatusCode() > 0 && answer.HTTPStatusCode() < http.StatusInternalServerError && !busy(answer.HTTPStatusCode(), err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrNoAnswer, err)
}

// busy says whether a refusal asks the caller to try again later. Amazon sends these
// codes with 503 and 400; other servers use statuses of their own.
func busy(status int, err error) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout:
		return true
	}
	var said interface{ ErrorCode() string }
	return errors.As(err, &said) && (said.ErrorCode() == "SlowDown" || said.ErrorCode() == "RequestTimeout")
}

// diskFull says whether a disk is full, except for the reserve.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func full(err error) bool {
	if diskFull(err) {
		return true
	}
	var said interface{ ErrorCode() string }
	if errors.As(err, &said) {
		switch said.ErrorCode() {
		case "QuotaExceeded", // versitygw, Ceph
			"XMinioStorageFull", "XMinioAdminBucketQuotaExceeded": // MinIO, and a quota of its bucket
			return true
		}
	}
	var answer interface{ HTTPStatusCode() int }
	return errors.As(err, &answer) && answer.HTTPStatusCode() == http.StatusInsufficientStorage
}
