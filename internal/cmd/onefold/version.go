package main

import (
	"cmp"
	"io"
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
	_, err := io.WriteString(e.stdout, versionLine()+"\n")
	return err
}

func versionLine() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "onefold, built without module information"
	}
	line := "onefold " + cmp.Or(info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			line += " " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			line += " with changes"
		}
	}
	return line + " " + info.GoVersion
}
