package importrule

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Load reads the Go files of a module, whatever platform they are for, and
// returns its packages sorted by path. Errors are those of reading and of
// files that are not Go. Folders the go command ignores are left out.
func Load(module fs.FS) ([]Package, error) {
	found := map[string]*Package{}
	err := fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && ignored(d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		dir := path.Dir(name)
		if dir == "." {
			dir = ""
		}
		p := found[dir]
		if p == nil {
			p = &Package{Path: dir}
			found[dir] = p
		}
		return p.read(module, name)
	})
	if err != nil {
		return nil, fmt.Errorf("read the module: %w", err)
	}
	packages := make([]Package, 0, len(found))
	for _, p := range found {
		slices.Sort(p.Imports)
		p.Imports = slices.Compact(p.Imports)
		slices.Sort(p.TestImports)
		p.TestImports = slices.Compact(p.TestImports)
		packages = append(packages, *p)
	}
	slices.SortFunc(packages, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return packages, nil
}

// ignored are the folders that hold no package of the module.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
		slices.Contains([]string{"testdata", "vendor", "node_modules", "cdk.out", "bin"}, name)
}

// read adds one file. Of test files only length and imports count.
func (p *Package) read(module fs.FS, name string) error {
	text, err := fs.ReadFile(module, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed since the folder was listed
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	p.Files = append(p.Files, File{Path: name, Lines: bytes.Count(text, []byte{'\n'})})
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", name, err)
	}
	names := map[string]string{} // local name of an import, to its path
	test := strings.HasSuffix(name, "_test.go")
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return fmt.Errorf("parse %s: %w", name, err)
		}
		local := path.Base(imported)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		names[local] = imported
		if test {
			p.TestImports = append(p.TestImports, imported)
		} else {
			p.Imports = append(p.Imports, imported)
		}
	}
	if !test {
		p.Symbols = append(p.Symbols, symbols(fset, file, names)...)
	}
	return nil
}

// symbols are the selectors on imported packages, called or not. A local
// variable with a package's name is taken for the package: rename it.
func symbols(fset *token.FileSet, file *ast.File, names map[string]string) []Symbol {
	var all []Symbol
	add := func(node ast.Node, name string) {
		at := fset.Position(node.Pos())
		all = append(all, Symbol{Name: name, Pos: at.Filename + ":" + strconv.Itoa(at.Line)})
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			if x, ok := node.X.(*ast.Ident); ok && names[x.Name] != "" {
				add(node, names[x.Name]+"."+node.Sel.Name)
			}
		case *ast.Ident:
			// Under a dot import every bare name may be the package's.
			if dotted := names["."]; dotted != "" && node.IsExported() {
				add(node, dotted+"."+node.Name)
			}
		}
		return true
	})
	return all
}
