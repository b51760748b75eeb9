"""Plain HTML: what a person sees of a repository, a pull request and a check. No script, nothing loaded."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote

from markdown_it import MarkdownIt

from standin.records import Annotation, CheckRun, Comment, CommitStatus, Pull, Repository, State
from standin.routes.checks import runs_of, statuses_of
from standin.store import comments_of, pulls_of

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 62rem; margin: 0 auto; padding: 1rem; }
section, article { border: 1px solid #8888; border-radius: .4rem; padding: 0 1rem 1rem; margin: 1rem 0; }
pre { overflow-x: auto; padding: .6rem; background: #8882; }
table { border-collapse: collapse; display: block; margin: .6rem 0; overflow-x: auto; }
th, td { border: 1px solid #8888; padding: .2rem .6rem; text-align: left; }
code { overflow-wrap: anywhere; }
"""

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Sent with every page."""

# Raw HTML is shown as text, images are not loaded, and markdown-it refuses links with an executable scheme.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def index_page(state: State) -> str:
    """Return the list of repositories and their pull requests."""
    parts = []
    for repository in state.repositories.values():
        items = "".join(
            f'<li><a href="{_href(repository, f"pull/{pull.number}")}">#{pull.number} {escape(pull.title)}</a> '
            f"({pull.state})</li>"
            for pull in pulls_of(state, repository)
        )
        parts.append(
            f"<section><h2>{escape(repository.full_name)}</h2><ul>{items or '<li>none yet</li>'}</ul></section>"
        )
    return _page("Pull requests", "<h1>Pull requests</h1>" + ("".join(parts) or "<p>No repository yet.</p>"))


def pull_page(state: State, repository: Repository, pull: Pull) -> str:
    """Return one pull request: text, checks on its head, comments."""
    runs = {run.name: run for run in reversed(runs_of(state, repository, pull.head_sha))}
    statuses = {one.context: one for one in reversed(statuses_of(state, repository, pull.head_sha))}
    checks = "".join(_run(repository, run) for run in runs.values()) + "".join(map(_status, statuses.values()))
    comments = "".join(_comment(comment) for comment in comments_of(state, pull))
    body = (
        f"<p>{escape(repository.full_name)} · {pull.state}</p>"
        f"<h1>{escape(pull.title)} <small>#{pull.number}</small></h1>"
        f"<p>{escape(pull.author)} wants to merge <code>{escape(pull.head_ref)}</code> into "
        f"<code>{escape(pull.base_ref)}</code>; head <code>{pull.head_sha}</code></p>"
        f"<section><h2>Description</h2>{_markdown(pull.body) or '<p>No description.</p>'}</section>"
        f"<section><h2>Checks</h2>{checks or '<p>No checks on this commit yet.</p>'}</section>"
        f"<section><h2>Comments</h2>{comments or '<p>No comments.</p>'}</section>"
    )
    return _page(f"{pull.title} · #{pull.number} · {repository.full_name}", body)


def run_page(repository: Repository, run: CheckRun) -> str:
    """Return one check run."""
    heading = f"<p>{escape(repository.full_name)} · commit <code>{run.head_sha}</code></p><h1>{escape(run.name)}</h1>"
    return _page(f"{run.name} · {repository.full_name}", heading + _run(repository, run))


def _run(repository: Repository, run: CheckRun) -> str:
    details = ""
    if run.details_url and run.details_url.startswith(("http://", "https://")):
        details = f'<p><a rel="noopener" href="{escape(run.details_url)}">Details</a></p>'
    return (
        f'<article id="check-run-{run.id}" data-conclusion="{run.conclusion or run.status}">'
        f'<h3><a href="{_href(repository, f"runs/{run.id}")}">{escape(run.name)}</a>: '
        f"{_words(run.conclusion or run.status)}</h3>"
        f"<p><strong>{escape(run.title or '')}</strong></p>"
        f"{_markdown(run.summary)}{_markdown(run.text)}{_annotations(run.annotations)}{details}</article>"
    )


def _annotations(annotations: Iterable[Annotation]) -> str:
    rows = "".join(
        f"<tr><td>{one.annotation_level}</td><td><code>{escape(one.path)}:{one.start_line}</code></td>"
        f"<td>{escape(one.title or '')}</td><td><pre>{escape(one.message)}</pre></td></tr>"
        for one in annotations
    )
    head = "<tr><th>level</th><th>where</th><th>title</th><th>message</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>" if rows else ""


def sign_in_page(logins: Sequence[str], *, query: str) -> str:
    """Return the page on which somebody says who they are, and agrees that an App learns it.

    Args:
        logins: Everybody there is.
        query: Of the page's own address.
    """
    rows = "".join(
        f'<li><a href="{escape(f"?{query}&as_login={quote(login)}")}">Authorize as {escape(login)}</a></li>'
        for login in logins
    )
    cancel = f'<p><a href="{escape(f"?{query}&denied=1")}">Cancel</a></p>'
    return _page("Sign in", f"<h1>Sign in</h1><ul>{rows}</ul>{cancel}")


def _status(one: CommitStatus) -> str:
    details = ""
    if one.target_url and one.target_url.startswith(("http://", "https://")):
        details = f' <a rel="noopener" href="{escape(one.target_url)}">Details</a>'
    return (
        f'<article id="status-{one.id}" data-conclusion="{one.state}"><h3>{escape(one.context)}: {one.state}</h3>'
        f"<p>{escape(one.description or '')}{details}</p></article>"
    )


def _comment(one: Comment) -> str:
    when = one.updated_at.strftime("%Y-%m-%d %H:%M UTC")
    return f'<article id="issuecomment-{one.id}"><h3>{escape(one.author)}, {when}</h3>{_markdown(one.body)}</article>'


def _markdown(text: str | None) -> str:
    """Return Markdown as safe HTML. HTML comments are invisible on GitHub, so they are dropped here."""
    lines = (text or "").split("\n")
    visible = "\n".join(line for line in lines if not (line.startswith("<!--") and line.endswith("-->")))
    return str(_MARKDOWN.render(visible))


def _words(name: str) -> str:
    return escape(name.replace("_", " "))


def _href(repository: Repository, tail: str) -> str:
    return escape(f"/{repository.full_name}/{tail}")


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f'<body><p><a href="/">GitHub stand-in</a></p><main>{body}</main></body></html>'
    )
