package main

import (
	"cmp"
	"io"
	"runtime/debug"
)

type versionCmd struct{}

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
