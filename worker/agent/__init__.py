"""An agent lends a machine: it asks for jobs, runs each in a container without a network, and delivers the bundle.

It only ever makes requests; nothing listens. Container, order and result are all treated as somebody else's.
"""

from worker.agent.describe import describe
from worker.agent.loop import Agent
from worker.agent.policy import load_policy, policy_file, sample_policy
from worker.agent.unit import unit_file

__all__ = ["Agent", "describe", "load_policy", "policy_file", "sample_policy", "unit_file"]
