"""The pages show everything and run nothing."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from standin.acts import NewComment, NewPull

HOSTILE = (
    "<script>alert(1)</script> <img src=http://evil.example/x onerror=alert(1)> ![i](http://evil.example/y.png) "
    "[go](javascript:alert(1)) [data](data:text/html,x) </section></main> &lt;b&gt; \"'"
)
ALLOWED_ATTRIBUTES = {"href", "rel", "id", "data-conclusion", "lang", "charset", "name", "content", "class"}


class Page(HTMLParser):
    """Collects tags, attributes, addresses and text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.addresses, self.words = set(), set(), [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data):
        self.words += data


@pytest.fixture
def check(http, pull, install_headers):
    body = {
        "name": "byogpu",
        "head_sha": pull.head_sha,
        "conclusion": "failure",
        "details_url": "https://byogpu.example/pulls/1?a=1&b=2",
        "output": {
            "title": f"1 claim contradicted {HOSTILE}",
            "summary": f"| claim | verdict |\n| --- | --- |\n| `c1` | **contradicted** |\n\n{HOSTILE}",
            "text": f"## Details\n\n```text\n{HOSTILE}\n```",
            "annotations": [
                {
                    "path": f"a/{HOSTILE}",
                    "start_line": 3,
                    "end_line": 3,
                    "annotation_level": "failure",
                    "title": HOSTILE,
                    "message": HOSTILE,
                }
            ],
        },
    }
    return http.post("/repos/octo/hello/check-runs", headers=install_headers, json=body).json()


@pytest.fixture
def pages(http, forge, pull, check):
    """All three kinds of page, with hostile text in every field."""
    forge.open_pull(NewPull(repository="octo/hello", title=HOSTILE, body=HOSTILE, author="kim", head_ref=HOSTILE))
    forge.comment(NewComment(repository="octo/hello", number=1, author="eve", body=HOSTILE))
    forge.comment(NewComment(repository="octo/hello", number=2, author="eve", body=HOSTILE))
    status = {"state": "failure", "context": HOSTILE, "description": HOSTILE[:100], "target_url": "javascript:alert(1)"}
    http.post(f"/repos/octo/hello/statuses/{pull.head_sha}", headers={"Authorization": "Bearer writes"}, json=status)
    paths = ("/", "/octo/hello/pull/1", "/octo/hello/pull/2", f"/octo/hello/runs/{check['id']}")
    return {path: http.get(path) for path in paths}


def test_no_page_holds_anything_active(pages):
    for answer in pages.values():
        assert answer.status_code == 200
        page = Page(answer.text)
        assert not page.tags & {"script", "img", "iframe", "object", "form", "input", "button", "link", "base"}
        assert page.attributes <= ALLOWED_ATTRIBUTES
        assert all(address.startswith(("/", "http://", "https://")) for address in page.addresses)


def test_every_page_forbids_scripts_and_other_hosts(pages):
    for answer in pages.values():
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none';")
        assert "script-src" not in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_the_pull_request_page_shows_the_check(pages, check):
    page = Page(pages["/octo/hello/pull/1"].text)
    for words in ("byogpu", "failure", "1 claim contradicted", "contradicted", "Details", ":3", "alert(1)", "eve"):
        assert words in page.words
    assert "table" in page.tags
    assert f"/octo/hello/runs/{check['id']}" in page.addresses
    assert "https://byogpu.example/pulls/1?a=1&b=2" in page.addresses


def test_the_index_leads_to_each_pull_request(pages):
    assert {"/octo/hello/pull/1", "/octo/hello/pull/2"} <= set(Page(pages["/"].text).addresses)


def test_our_invisible_mark_stays_invisible(http, forge, pull):
    forge.comment(NewComment(repository="octo/hello", number=1, author="marta", body="<!-- byogpu:x -->\nshown"))
    page = Page(http.get("/octo/hello/pull/1").text)
    assert "shown" in page.words
    assert "byogpu:x" not in page.words


@pytest.mark.parametrize("path", ["/octo/hello/pull/9", "/octo/none/pull/1", "/octo/hello/runs/9", "/nothing/here"])
def test_a_page_that_is_not_there(http, pull, path):
    assert http.get(path).status_code == 404
