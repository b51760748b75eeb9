"""What every call needs: the forge, the caller, the repository, and pages of long lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

from fastapi import Depends, Query, Request, Response

from standin.credentials import Caller
from standin.forge import Forge

T = TypeVar("T")


def get_forge(request: Request) -> Forge:
    """Return the forge that the application was made with."""
    forge = request.app.state.forge
    assert isinstance(forge, Forge)
    return forge


def get_caller(request: Request, forge: Annotated[Forge, Depends(get_forge)]) -> Caller:
    """Return who is calling.

    Raises:
        ApiError: 401.
    """
    return forge.identify(request.headers.get("authorization", ""))


class Pager:
    """Cuts one page out of a list and sets GitHub's ``Link`` header."""

    def __init__(
        self,
        request: Request,
        response: Response,
        forge: Annotated[Forge, Depends(get_forge)],
        per_page: Annotated[int, Query(ge=1, le=100)] = 30,
        page: Annotated[int, Query(ge=1)] = 1,
    ) -> None:
        self._request = request
        self._response = response
        self._api_url = forge.settings.api_url
        self._per_page = per_page
        self._page = page

    def cut(self, whole: Sequence[T]) -> list[T]:
        """Return the page that was asked for."""
        last = max(1, -(-len(whole) // self._per_page))
        wanted = {"first": 1, "prev": self._page - 1, "next": self._page + 1, "last": last}
        links = [
            f'<{self._address(number)}>; rel="{name}"'
            for name, number in wanted.items()
            if 1 <= number <= last and number != self._page
        ]
        if links:
            self._response.headers["Link"] = ", ".join(links)
        start = (self._page - 1) * self._per_page
        return list(whole[start : start + self._per_page])

    def _address(self, page: int) -> str:
        query = self._request.url.include_query_params(page=page, per_page=self._per_page).query
        return f"{self._api_url}{self._request.url.path}?{query}"


ForgeDep = Annotated[Forge, Depends(get_forge)]
CallerDep = Annotated[Caller, Depends(get_caller)]
PagerDep = Annotated[Pager, Depends()]
