"""The tables. Each state machine has its own column; none is derived from another.

A feature that needs tables of its own adds a module here and its names to the list.
"""

from server.models.bundles import (
    Blob,
    Bundle,
    BundleBlob,
    Challenge,
    Node,
    Origin,
    SignatureState,
    UploadState,
    ValidationState,
)
from server.models.evidence import AssessmentRow, EvidenceRow, Outlook, Revalidation, Ruling, RulingKind, VerdictRow
from server.models.github import Delivery, Policy, Post, PostState, Pull, PullState, Repository
from server.models.table import Table
from server.models.work import Audit, Task, TaskState

__all__ = [
    "AssessmentRow",
    "Audit",
    "Blob",
    "Bundle",
    "BundleBlob",
    "Challenge",
    "Delivery",
    "EvidenceRow",
    "Node",
    "Origin",
    "Outlook",
    "Policy",
    "Post",
    "PostState",
    "Pull",
    "PullState",
    "Repository",
    "Revalidation",
    "Ruling",
    "RulingKind",
    "SignatureState",
    "Table",
    "Task",
    "TaskState",
    "UploadState",
    "ValidationState",
    "VerdictRow",
]
