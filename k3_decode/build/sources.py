"""The digest that ties built kernels to the sources they were built from."""

import ast
import functools
import hashlib
import importlib.metadata
import inspect
import pathlib

COMPILER_PACKAGES = ("nvidia-cutlass-dsl-libs-base", "nvidia-cutlass-dsl-libs-cu13", "apache-tvm-ffi")
"""Packages whose version changes the machine code."""

_KERNELS = pathlib.Path(__file__).resolve().parents[1] / "kernels"
_PACKAGE = "k3_decode.kernels"


@functools.cache
def source_digest() -> str:
    """Return the SHA-256 of every source file that kernels are made of, by path and content."""
    digest = hashlib.sha256()
    for path in sorted(_KERNELS.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(_KERNELS).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@functools.cache
def kernel_digest(kernel: type) -> str:
    """Return the SHA-256 of what one kernel's machine code depends on.

    That is its own module, and of the modules it imports from the definitions it uses, and those that they use in turn;
    comments play no part. So a part that only other kernels use may change without compiling this one again.

    Args:
        kernel: Class of the operator.
    """
    return hashlib.sha256(used_source(pathlib.Path(inspect.getfile(kernel)), _KERNELS).encode()).hexdigest()


def used_source(module: pathlib.Path, root: pathlib.Path) -> str:
    """Write out a module and every definition it uses of other modules of the kernels.

    Args:
        module: The file.
        root: Folder of the package `k3_decode.kernels`.

    Returns:
        Python text, without comments, in an order that depends on the sources alone.
    """
    found = {f"{module.name}:": ast.unparse(_parsed(module))}
    wanted = list(_imports(_parsed(module), root).values())
    while wanted:
        path, name = wanted.pop()
        key = f"{path.name}:{name}"
        if key in found:
            continue
        tree = _parsed(path)
        node = _definitions(tree).get(name)
        if node is None:  # defined under a condition: the whole module counts
            found[key] = ast.unparse(tree)
            continue
        found[key] = ast.unparse(node)
        known = {**{other: (path, other) for other in _definitions(tree)}, **_imports(tree, root)}
        wanted += [known[each.id] for each in ast.walk(node) if isinstance(each, ast.Name) and each.id in known]
    return "\n".join(f"{key}\n{found[key]}" for key in sorted(found))


@functools.cache
def _parsed(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    """Map the names a module defines at its top level to where it does."""
    found: dict[str, ast.stmt] = {}
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = node
            case ast.Assign(targets=targets):
                names = (each for target in targets for each in ast.walk(target))
                found |= {each.id: node for each in names if isinstance(each, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                found[name] = node
    return found


def _imports(tree: ast.Module, root: pathlib.Path) -> dict[str, tuple[pathlib.Path, str]]:
    """Map the names a module imports from other modules of the kernels to file and name there."""
    found: dict[str, tuple[pathlib.Path, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"{_PACKAGE}."):
            path = root.joinpath(*node.module.removeprefix(f"{_PACKAGE}.").split(".")).with_suffix(".py")
            found |= {alias.asname or alias.name: (path, alias.name) for alias in node.names}
    return found


def compiler_versions() -> dict[str, str]:
    """Return the installed version of each compiler package; absent ones are left out."""
    found = {}
    for package in COMPILER_PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
