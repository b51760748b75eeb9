"""Jobs through the API: who may order and approve what, who gets which job, and what every refusal says."""

from __future__ import annotations

from typing import Any

import pytest

from worker.bundle.order import open_job

HEAD = "a" * 40
OTHER = "c" * 40


def codes(said: dict[str, Any]) -> list[str]:
    return [one["code"] for one in said["hindrances"]]


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_a_job_goes_from_order_to_bundle(yard) -> None:
    job = yard.order()
    assert (job["state"], job["approved_by"], job["head_sha"]) == ("queued", "the operator", HEAD)
    assert "No node asked for work" in job["reason"]

    grant = yard.leased()
    key = yard.get("/service-key")["public_key"]
    spec = open_job(grant["envelope"].encode(), service_key=key)
    assert (spec.job_id, spec.token, spec.node_key_id) == (job["id"], grant["token"], yard.node())
    assert (spec.source.head_sha, spec.source.clone_url) == (HEAD, "https://github.com/octo/kernels")
    assert spec.subject.suite is not None
    assert yard.say("heartbeat", grant).json()["cancel"] is False

    done = [{"eval_id": "numerics", "outcome": "completed", "duration_s": 3.5}]
    assert yard.say("progress", grant, done=done).json()["job"]["evals_done"] == done
    bundle_id = yard.rows.submit(job["id"], grant["token"])
    page = yard.say("finish", grant, bundle_id=bundle_id).json()
    assert (page["job"]["state"], page["job"]["bundle_id"]) == ("done", bundle_id)
    assert page["leases"][0]["outcome"] == "finished"
    assert yard.say("finish", grant, bundle_id=bundle_id).status_code == 200, "the same message again is no error"
    assert refused(yard.say("heartbeat", grant)) == (409, "lease_lost")


def test_the_same_order_while_one_is_open_is_that_one(yard) -> None:
    assert yard.order()["id"] == yard.order()["id"]
    assert yard.order(needs={"gpu_count": 1})["id"] != yard.order()["id"]


def test_orders_are_refused(make_service, yard) -> None:
    assert refused(yard.try_order(suite="nonsense")) == (404, "job_suite_not_found")
    assert refused(yard.try_order(head_sha=OTHER)) == (409, "job_head_moved")
    assert refused(yard.try_order(number=99)) == (404, "pull_not_found")
    yard.rows.know_pull(2, state="closed")
    assert refused(yard.try_order(number=2)) == (409, "pull_closed")
    assert refused(yard.try_order(image="eval-smoke:latest")) == (422, "body_invalid")
    assert refused(yard.try_order(headers={"X-Nothing": "1"})) == (401, "unauthorized")


def test_a_new_head_makes_a_waiting_job_stale(yard) -> None:
    job = yard.order()
    yard.rows.know_pull(1, head_sha=OTHER)
    assert codes(yard.claim()) == ["nothing_waits"], "a commit that is not the head is never given out"
    yard.sweep()
    page = yard.job(job["id"])["job"]
    assert (page["state"], page["reason"]) == ("stale", f"The head is {OTHER} now.")


def test_a_started_job_is_not_made_stale(yard) -> None:
    job = yard.order()
    yard.leased()
    yard.rows.know_pull(1, head_sha=OTHER)
    yard.sweep()
    assert yard.job(job["id"])["job"]["state"] == "leased"


def test_a_closed_pull_request_ends_what_waits(yard) -> None:
    job = yard.order()
    yard.rows.know_pull(1, state="closed")
    yard.sweep()
    assert yard.job(job["id"])["job"]["reason"] == "The pull request was closed."


def test_a_job_goes_only_where_it_fits_and_the_owner_allows(yard, make_gpu, make_offer) -> None:
    yard.order(needs={"gpu_count": 1})
    assert codes(yard.claim(what=make_offer())) == ["gpu_count"]
    assert codes(yard.claim(what=make_offer(make_gpu(), authors=("friend",)))) == ["author_refused"]
    assert yard.claim(what=make_offer(make_gpu()))["job"] is not None


def test_a_suite_asks_for_its_least_machine_itself(yard) -> None:
    plain = yard.order(suite="standard", image=f"registry.example/eval@sha256:{'2' * 64}")
    assert (plain["needs"]["gpu_count"], plain["needs"]["gpu_memory_bytes"]) == (1, 80_000_000_000)
    more = yard.order(suite="full", needs={"gpu_count": 8, "nvlink": True})
    assert (more["needs"]["gpu_count"], more["needs"]["gpu_memory_bytes"]) == (8, 140_000_000_000)
    assert codes(yard.claim())[0] == "gpu_count"


def test_a_waiting_job_says_what_nodes_lack(yard, make_offer) -> None:
    job = yard.order(needs={"gpu_count": 8, "gpu_model": "H200"})
    yard.claim("n1", make_offer())
    yard.claim("n2", make_offer())
    reason = yard.job(job["id"])["job"]["reason"]
    assert reason == "None of 2 nodes fits. The commonest reason, of 2: needs 8 H200 GPUs; has 0."


def test_a_job_without_an_image_says_so(yard, make_service) -> None:
    from dataclasses import replace

    bare = make_service()
    other = replace(yard, service=bare, nodes={})
    other.rows.know_pull()
    job = other.order()
    assert job["reason"] == "The operator has set no image for suite smoke/1."
    assert codes(other.claim()) == ["no_image"]


def test_a_silent_node_loses_its_job_and_its_late_bundle_counts_for_no_job(yard) -> None:
    job = yard.order()
    old = yard.leased("n1")
    yard.service.clock.advance(61)
    yard.sweep()
    assert yard.job(job["id"])["leases"][0]["outcome"] == "expired"
    yard.service.clock.advance(120)
    new = yard.leased("n2")
    assert new["token"] == old["token"] + 1

    late = yard.rows.submit(job["id"], old["token"])
    assert refused(yard.say("finish", old, bundle_id=late)) == (409, "lease_lost")
    page = yard.job(job["id"])
    assert (page["job"]["state"], page["job"]["bundle_id"]) == ("leased", None)
    assert page["leases"][0]["bundle_id"] == late, "the late result is kept with its lease"

    bundle_id = yard.rows.submit(job["id"], new["token"])
    assert yard.say("finish", new, "n2", bundle_id=bundle_id).json()["job"]["bundle_id"] == bundle_id


def test_a_bundle_that_was_submitted_in_time_finishes_the_job_of_a_node_that_died(yard) -> None:
    job = yard.order()
    grant = yard.leased()
    bundle_id = yard.rows.submit(job["id"], grant["token"])
    yard.service.clock.advance(3600)
    yard.sweep()
    page = yard.job(job["id"])["job"]
    assert (page["state"], page["bundle_id"]) == ("done", bundle_id)


def test_a_bundle_that_does_not_answer_the_challenge_finishes_nothing(yard) -> None:
    yard.order()
    grant = yard.leased()
    assert refused(yard.say("finish", grant, bundle_id="f" * 64)) == (409, "job_bundle_unbound")


def test_cancelling(yard) -> None:
    waiting = yard.order()
    assert yard.post(f"/{waiting['id']}/cancel").json()["state"] == "cancelled"
    assert yard.post(f"/{waiting['id']}/cancel").status_code == 200
    running = yard.order()
    grant = yard.leased()
    shown = yard.post(f"/{running['id']}/cancel").json()
    assert (shown["state"], "heartbeat" in shown["reason"]) == ("leased", True)
    assert yard.say("heartbeat", grant).json()["cancel"] is True
    page = yard.say("fail", grant, cause="cancelled", detail="stopped").json()
    assert (page["job"]["state"], page["leases"][0]["outcome"]) == ("cancelled", "cancelled")
    assert refused(yard.say("fail", grant, cause="cancelled", detail="")) == (409, "lease_lost")
    done = yard.order()
    grant = yard.leased()
    yard.say("finish", grant, bundle_id=yard.rows.submit(done["id"], grant["token"]))
    assert refused(yard.post(f"/{done['id']}/cancel")) == (409, "job_ended")


def test_a_job_that_fails_on_several_nodes_is_quarantined_until_somebody_orders_it_again(yard) -> None:
    job = yard.order()
    for name in ("n1", "n2"):
        yard.say("fail", yard.leased(name), name, cause="job", detail="it breaks")
        yard.service.clock.advance(600)
    page = yard.job(job["id"])["job"]
    assert (page["state"], page["reason"]) == ("quarantined", "It failed on 2 nodes, at last with: it breaks.")
    assert codes(yard.claim("n3")) == ["nothing_waits"]
    assert yard.post(f"/{job['id']}/again").json()["state"] == "queued"
    assert refused(yard.post(f"/{job['id']}/again")) == (409, "job_not_ended")
    assert yard.leased("n3")["token"] == 3


def test_a_job_that_fails_on_one_node_again_and_again_is_given_up(yard) -> None:
    job = yard.order()
    for _ in range(3):
        yard.say("fail", yard.leased(), cause="job", detail="it breaks")
        yard.service.clock.advance(7200)
    assert yard.job(job["id"])["job"]["state"] == "dead"


def test_faults_of_nodes_do_not_count_against_the_job(yard) -> None:
    job = yard.order()
    for name in ("n1", "n2", "n3", "n4"):
        yard.say("fail", yard.leased(name), name, cause="node", detail="no disk")
        yard.service.clock.advance(7200)
    assert yard.job(job["id"])["job"]["state"] == "queued"


def test_a_failed_job_waits_longer_each_time_and_goes_to_another_node_first(yard) -> None:
    yard.order()
    yard.say("fail", yard.leased("n1"), cause="node", detail="no disk")
    assert codes(yard.claim("n2")) == ["nothing_waits"]
    yard.service.clock.advance(31)
    assert codes(yard.claim("n1")) == ["failed_here"]
    assert yard.leased("n2")["token"] == 2


def test_an_interrupted_job_waits_for_the_node_that_has_begun_it(yard) -> None:
    job = yard.order()
    grant = yard.leased("n1")
    done = [{"eval_id": "numerics", "outcome": "completed", "duration_s": 1.0}]
    yard.say("progress", grant, done=done)
    yard.say("fail", grant, cause="drained", detail="")
    assert codes(yard.claim("n2")) == ["kept_for_another"]
    again = yard.leased("n1")
    assert again["done"] == done
    yard.say("fail", again, cause="drained", detail="")
    yard.service.clock.advance(301)
    assert yard.leased("n2")["done"] == [], "another machine begins anew: a bundle is from one machine"
    assert yard.job(job["id"])["job"]["evals_done"] == []


@pytest.mark.parametrize(
    "done",
    [
        [{"eval_id": "nonsense", "outcome": "completed", "duration_s": 1.0}],
        [{"eval_id": "numerics", "outcome": "completed", "duration_s": 1.0}] * 2,
    ],
)
def test_progress_names_evals_of_the_suite_once(yard, done) -> None:
    yard.order()
    assert refused(yard.say("progress", yard.leased(), done=done)) == (422, "job_progress_invalid")


def test_priority_and_fairness(yard) -> None:
    yard.rows.know_pull(2)
    first, second = yard.order(1), yard.order(1, needs={"driver_version": "1"})
    other = yard.order(2)
    urgent = yard.order(2, needs={"driver_version": "2"}, priority=2)
    taken = [yard.leased(f"n{number}")["job_id"] for number in range(1, 5)]
    # The urgent one, then pull 1 (2 has one running), then 1 and 2 have one each: the older of their jobs.
    assert taken == [urgent["id"], first["id"], second["id"], other["id"]]


def test_waiting_weighs_like_priority(yard) -> None:
    yard.rows.know_pull(2)
    old = yard.order(1)
    yard.service.clock.advance(2 * 3600 + 1)
    yard.order(2, priority=2)
    assert yard.leased()["job_id"] == old["id"]


def test_limits_of_owner_address_and_pull(yard, make_service) -> None:
    from dataclasses import replace

    small = make_service(
        job_images=yard.services.settings.job_images, jobs_per_owner=1, jobs_per_address=2, jobs_per_pull=2,
        orders_per_pull=3,
    )  # fmt: skip
    yard = replace(yard, service=small, nodes={})
    for number in (1, 2):
        yard.rows.know_pull(number)
    for version in ("1", "2", "3"):
        yard.order(1, needs={"driver_version": version})
    assert refused(yard.try_order(1, needs={"driver_version": "4"})) == (409, "orders_of_pull_exhausted")
    yard.leased("n1", owner="ann")
    assert codes(yard.claim("n2", owner="ann")) == ["owner_busy"]
    held = yard.leased("n3", owner="bob")
    assert codes(yard.claim("n4", owner="cleo")) == ["address_busy"]
    yard.say("fail", held, "n3", cause="node", detail="")
    yard.order(2)
    assert yard.leased("n4", owner="cleo")["job_id"]


def test_an_account_orders_only_so_many_jobs_a_day_that_ran(yard, make_service) -> None:
    from dataclasses import replace

    small = make_service(job_images=yard.services.settings.job_images, orders_per_requester=1)
    yard = replace(yard, service=small, nodes={})
    yard.rows.know_pull()
    interrupted = yard.order()
    yard.post(f"/{interrupted['id']}/cancel")
    ran = yard.order()
    grant = yard.leased()
    yard.say("finish", grant, bundle_id=yard.rows.submit(ran["id"], grant["token"]))
    assert refused(yard.try_order()) == (429, "orders_exhausted")
    yard.service.clock.advance(24 * 3600 + 1)
    assert yard.try_order().status_code == 200


def test_only_known_nodes_work(yard, make_offer) -> None:
    body = {"node_key_id": "e" * 64, "offer": make_offer().model_dump(mode="json"), "sent_at": "2026-01-01T00:00:00Z"}
    assert refused(yard.post("/claim", body)) == (404, "node_not_found")
    assert refused(yard.post("/claim", body, headers={"X-Nothing": "1"})) == (401, "unauthorized")
    yard.order()
    grant = yard.leased("n1")
    assert refused(yard.say("heartbeat", grant, "n2" if yard.node("n2") else "")) == (409, "lease_lost")


def test_lists(yard) -> None:
    assert refused(yard.service.client.get("/api/v1/jobs/j-0000000000000000")) == (404, "job_not_found")
    for version in ("1", "2", "3"):
        yard.order(needs={"driver_version": version})
    yard.leased()
    seen, cursor = [], ""
    while cursor is not None:
        page = yard.get(f"/jobs?limit=2{cursor and f'&cursor={cursor}'}")
        seen += [job["id"] for job in page["items"]]
        cursor = page["next_cursor"]
    assert len(seen) == len(set(seen)) == 3
    assert len(yard.get("/jobs?state=leased")["items"]) == 1
    assert len(yard.get("/jobs?state=leased&state=queued")["items"]) == 3
    assert len(yard.get("/jobs?pull=octo/kernels/1")["items"]) == 3
    assert all(job["reason"] for job in yard.get("/jobs")["items"])
    [node] = yard.get("/offers")["items"]
    assert (node["owner"], node["lately"], node["job_id"]) == ("lender", True, seen[-1])


def test_changes_leave_a_trace(yard) -> None:
    job = yard.order()
    yard.leased()
    yard.post(f"/{job['id']}/cancel")
    actions = [row["action"] for row in yard.service.rows("audit") if row["target"] == job["id"]]
    assert actions == ["job.ordered", "job.approved", "job.leased", "job.cancelled"]
