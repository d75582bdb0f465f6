package blob

import (
	"errors"
	"fmt"
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
