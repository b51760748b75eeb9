"""The tables. Each state machine has its own column; none is derived from another.

A feature that needs tables of its own adds a module here and its names to the list.
"""

from server.models.accounts import Account, ApiToken, KeptAnswer, PullKey, SignIn, WebSession
from server.models.bundles import (
    AnnouncedPart,
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
from server.models.evidence import (
    Answer,
    AssessmentRow,
    EvidenceRow,
    Outlook,
    Revalidation,
    Ruling,
    RulingKind,
    VerdictRow,
    WaiverRow,
)
from server.models.github import (
    Command,
    CommandState,
    Contact,
    Delivery,
    Policy,
    Post,
    PostState,
    Pull,
    PullState,
    Repository,
)
from server.models.jobs import Job, JobState, Lease, LeaseOutcome, NodeStatus
from server.models.table import Table
from server.models.work import Audit, Task, TaskState

__all__ = [
    "Account",
    "AnnouncedPart",
    "Answer",
    "ApiToken",
    "AssessmentRow",
    "Audit",
    "Blob",
    "Bundle",
    "BundleBlob",
    "Challenge",
    "Command",
    "CommandState",
    "Contact",
    "Delivery",
    "EvidenceRow",
    "Job",
    "JobState",
    "KeptAnswer",
    "Lease",
    "LeaseOutcome",
    "Node",
    "NodeStatus",
    "Origin",
    "Outlook",
    "Policy",
    "Post",
    "PostState",
    "Pull",
    "PullKey",
    "PullState",
    "Repository",
    "Revalidation",
    "Ruling",
    "RulingKind",
    "SignIn",
    "SignatureState",
    "Table",
    "Task",
    "TaskState",
    "UploadState",
    "ValidationState",
    "VerdictRow",
    "WaiverRow",
    "WebSession",
]
