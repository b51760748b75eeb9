"""Errors of k3_decode: ``ValueError`` children that say what was expected and what came."""


class K3Error(ValueError):
    """Base of every error this package raises on a caller's input."""


class ConfigError(K3Error):
    """A model configuration that no K3 model can have, or that this package does not implement."""


class ArgumentError(K3Error):
    """An operator was called with an argument it cannot serve.

    Args:
        operator: Public function or class that refused.
        argument: Name of the offending argument.
        expected: What would have been accepted.
        got: What came, in words.
    """

    def __init__(self, operator: str, argument: str, *, expected: object, got: object) -> None:
        super().__init__(f"{operator}: {argument}: expected {expected}, got {got}")
        self.operator = operator
        self.argument = argument
        self.expected = str(expected)
        self.got = str(got)


class CheckpointError(K3Error):
    """A checkpoint folder that cannot be read as a K3 checkpoint."""


class MissingTensorError(CheckpointError):
    """A tensor that the configuration needs is not in the checkpoint.

    Args:
        tensor: Canonical name of the tensor.
        tried: Every name under which it was looked for.
    """

    def __init__(self, tensor: str, *, tried: tuple[str, ...]) -> None:
        super().__init__(f"{tensor}: missing from the checkpoint (looked for {', '.join(tried)})")
        self.tensor = tensor
        self.tried = tried


class TensorMismatchError(CheckpointError):
    """A tensor of the checkpoint has another shape or dtype than the configuration says.

    Args:
        tensor: Name of the tensor as stored.
        what: The property that differs: ``shape`` or ``dtype``.
        expected: Value the configuration implies.
        got: Value found in the file.
    """

    def __init__(self, tensor: str, what: str, *, expected: object, got: object) -> None:
        super().__init__(f"{tensor}: {what}: expected {expected}, got {got}")
        self.tensor = tensor
        self.what = what
        self.expected = str(expected)
        self.got = str(got)


class UnsupportedDeviceError(K3Error):
    """Kernels were asked for on a machine that cannot run or build them.

    Args:
        what: What was asked for.
        expected: What it needs.
        got: What the machine has.
    """

    def __init__(self, what: str, *, expected: object, got: object) -> None:
        super().__init__(f"{what}: expected {expected}, got {got}")
        self.what = what
        self.expected = str(expected)
        self.got = str(got)


class CompilerMissingError(UnsupportedDeviceError):
    """Kernels were to be compiled where CuTe DSL is not installed (requirements/gpu.txt)."""


class StaleKernelsError(K3Error):
    """Built kernels belong to other sources than the ones that are running.

    Args:
        path: Folder of the built kernels.
        expected: Digest of the running sources.
        got: Digest they were built from.
    """

    def __init__(self, path: object, *, expected: str, got: str) -> None:
        super().__init__(f"{path}: expected kernels built from sources {expected}, got {got}")
        self.expected = expected
        self.got = got
