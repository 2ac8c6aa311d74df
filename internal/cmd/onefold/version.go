package main

import (
	"cmp"
	"runtime/debug"
)

const versionHelp = `usage:
  onefold version

Prints the version of this program, the commit it was built from where the
build knows it, and the version of Go.

example:
  onefold version
`

type versionCmd struct{}

func (versionCmd) Help() string { return versionHelp }

func (versionCmd) Run(e *env) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		e.printf("onefold, built without module information\n")
		return nil
	}
	e.printf("onefold %s", cmp.Or(info.Main.Version, "(devel)"))
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			e.printf(" %s", s.Value)
		case s.Key == "vcs.modified" && s.Value == "true":
			e.printf(" with changes")
		}
	}
	e.printf(" %s\n", info.GoVersion)
	return nil
}
