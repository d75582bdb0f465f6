package web_test

import (
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/conclave-rooms/conclave/web"
)

// The digests are those of `printf page | sha256sum`, and so on.
func TestTheManifestListsWhatBrowsersGet(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"index.html":          {Data: []byte("page")},
		"favicon.svg":         {Data: []byte("icon")},
		"assets/worker-B1.js": {Data: []byte("worker")},
		"assets/index-A1.js":  {Data: []byte("script")},
		".gitkeep":            {},
	}
	got, err := web.ManifestOf(files)
	if err != nil {
		t.Fatal(err)
	}
	want := web.Manifest{Files: []web.ManifestFile{
		{"/assets/index-A1.js", "21a0270b7f66a1e4c25933f13a1e5a1bbb4757578072930c8189131f9c6aaae1", 6},
		{"/assets/worker-B1.js", "87eba76e7f3164534045ba922e7770fb58bbd14ad732bbf5ba6f11cc56989e6e", 6},
		{"/favicon.svg", "c2d4b446a44ce54fab8e01150e24dd24f3d850c7c14dcfe31f6321341dd86874", 4},
		{"/", "3660315a9af3df255d8f19ab077e4797822b41488a0e2a04bc6af71213c23274", 4},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the manifest is %+v, want %+v", got, want)
	}
}

func TestAnInterfaceThatWasNotBuiltHasAnEmptyManifest(t *testing.T) {
	t.Parallel()
	got, err := web.ManifestOf(fstest.MapFS{".gitkeep": {}})
	if err != nil || got.Files == nil || len(got.Files) != 0 {
		t.Errorf("the manifest is %+v (%v), want an empty list", got, err)
	}
}
