"""The one exception of the bundle format."""


class BundleError(Exception):
    """A bundle, or a part of one, is not what the format demands.

    Attributes:
        code: Stable, documented in docs/errors.md.
        detail: What is wrong, for a person; quotes nothing longer than 200 characters of the input.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
