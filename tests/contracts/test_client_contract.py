from __future__ import annotations


def test_fetch_pull(app_client, pull, repository):
    found = app_client.fetch_pull(repository, pull.number)
    print(found)
    assert found.repository_id == pull.repository_id

def test_publish(app_client, pull, repository, payload, contract):
    a = app_client.publish(payload)
    b = app_client.publish(payload)
    assert a == b
    print(a)

def test_publish_token(token_client, pull, repository, payload, contract):
    a = token_client.publish(payload)
    b = token_client.publish(payload)
    assert a == b
    print(a)
