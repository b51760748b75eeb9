"""."""


def refresh(services, key): ...
