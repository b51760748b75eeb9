// Generated from docs/openapi.json by `npm run types`. Do not edit.

export interface paths {
    readonly "/api/v1/account/nodes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List your nodes
         * @description The nodes that your account registered, newest first, those that were revoked too.
         */
        readonly get: operations["list_own_nodes"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/accounts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List accounts
         * @description Everybody who has signed in, the last first.
         */
        readonly get: operations["list_accounts"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/accounts/{account_id}/role": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Give an account a role
         * @description Decide what an account may do. Credentials that it has made are good for no more than that, at once.
         */
        readonly put: operations["put_role"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/blobs/{sha256}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download a raw file
         * @description A blob of a validated bundle: raw rows, logs, tool output.
         */
        readonly get: operations["get_blob"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/blobs/{sha256}/parts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Ask where parts of a blob go
         * @description Say what parts will be, and learn where to put each: an address takes exactly those bytes.
         *
         *     Addresses of the blob store itself expire (403 there): ask again. Ask for few at a time.
         */
        readonly post: operations["announce_parts"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/blobs/{sha256}/parts/{number}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Upload one part of a blob
         * @description Take one part in, in any order, as often as needed; the newest whole one counts.
         */
        readonly put: operations["put_part"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/bundles": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List bundles
         * @description Bundles whose upload is complete, newest first.
         */
        readonly get: operations["list_bundles"];
        readonly put?: never;
        /**
         * Register a bundle's manifest
         * @description Take a manifest in and say which blobs to upload, part by part.
         *
         *     The bundle's id is the SHA-256 of the manifest's bytes. Posting the same manifest again answers 200 with what is
         *     still missing: that is how an interrupted upload goes on.
         */
        readonly post: operations["post_bundle"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/bundles/{bundle_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a bundle
         * @description State, trust, manifest, findings, recomputed cells, and where to download the raw files.
         */
        readonly get: operations["get_bundle"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/bundles/{bundle_id}/envelope": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download a signature
         * @description The DSSE envelope as canonical JSON; any DSSE implementation verifies it.
         */
        readonly get: operations["get_envelope"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/bundles/{bundle_id}/invalidate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Invalidate a bundle
         * @description Make a bundle count for nothing. Its contents stay, with the reason beside them.
         */
        readonly post: operations["invalidate_bundle"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/bundles/{bundle_id}/manifest": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download a manifest
         * @description The manifest, byte for byte.
         */
        readonly get: operations["get_manifest"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/bundles/{bundle_id}/quarantine-release": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Release a bundle from quarantine
         * @description Lift the suspicions that are known now and validate again. A rule that finds something else quarantines anew.
         */
        readonly post: operations["release_bundle"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/bundles/{bundle_id}/reinstate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Take an invalidation back
         * @description Let an invalidated bundle count again. The invalidation stays visible, with the reason why it was taken back.
         */
        readonly post: operations["reinstate_bundle"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/bundles/{bundle_id}/retract": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Retract a bundle
         * @description Drop a bundle's contents for good. Its addresses answer with a tombstone: digests, verdict and the reason.
         */
        readonly post: operations["retract_bundle"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/bundles/{bundle_id}/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Ask where a bundle stands
         * @description Say what is missing, or how far validation has come. Light enough to poll every second.
         */
        readonly get: operations["get_status"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/bundles/{bundle_id}/submit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Submit a bundle for validation
         * @description Verify that every blob is here and whole, and ask for validation. Submitting again changes nothing.
         */
        readonly post: operations["submit_bundle"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/challenges": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the challenges of a pull request
         * @description Every challenge that was issued for a pull request and what became of it, newest first.
         */
        readonly get: operations["list_challenges"];
        readonly put?: never;
        /**
         * Ask for a challenge
         * @description Fix what a run has to follow: prompts, seeds and order through the nonce; repository, head, suite and node.
         *
         *     The first bundle that names it and is bound as it should be uses it. Every challenge stays visible, used or not.
         */
        readonly post: operations["post_challenge"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/challenges/{challenge_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a challenge
         * @description What it is bound to, and what became of it.
         */
        readonly get: operations["get_challenge"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/challenges/{challenge_id}/abandon": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give a challenge up
         * @description Say that the run ended without a bundle, so that everybody knows. Doing it again changes nothing.
         */
        readonly post: operations["abandon_challenge"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/compare": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Compare two bundles
         * @description Which numbers of two bundles may be compared, what comes out, and which field stands in the way elsewhere.
         */
        readonly get: operations["compare_bundles"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/github/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Receive a webhook delivery
         * @description Verify a delivery and act on it once. GitHub's events that nothing here needs are answered and ignored.
         */
        readonly post: operations["receive_webhook"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List jobs
         * @description Every job, newest first, each with the reason why it waits or how it ended.
         */
        readonly get: operations["list_jobs"];
        readonly put?: never;
        /**
         * Order a suite for a pull request
         * @description Have a suite run on a node that somebody lends, for the commit that you name and no other.
         *
         *     It is approved at once if you may write to the repository; else it waits for somebody who may. The same order while
         *     one is open is that one.
         */
        readonly post: operations["order_job"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{job_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a job
         * @description A job with every lease it had.
         */
        readonly get: operations["get_job"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{job_id}/again": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Order a job again
         * @description Put a job that was given up or quarantined back in line, if its commit is still the head.
         */
        readonly post: operations["repeat_job"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{job_id}/approve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Approve the commit of a job
         * @description Let nodes of others run a commit that you have looked at. A later head needs another approval.
         */
        readonly post: operations["approve_job"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{job_id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a job
         * @description Cancel at once what no node has; a node that runs it hears of it with its next heartbeat.
         */
        readonly post: operations["cancel_job"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{job_id}/fail": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give a job back
         * @description Say that no bundle will come, and whose fault it is. Faults of machine or network do not count against a job.
         */
        readonly post: operations["fail_job"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{job_id}/finish": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Deliver a bundle
         * @description Finish a job with a bundle that was submitted and has used the job's challenge.
         *
         *     Under a lease that has ended the answer is `lease_lost`; the bundle is then kept with that lease as evidence that no
         *     job counts.
         */
        readonly post: operations["finish_job"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{job_id}/heartbeat": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Keep a lease
         * @description Say that the job is being run, and hear whether it was cancelled and what time it is here.
         */
        readonly post: operations["post_heartbeat"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/{job_id}/progress": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Say which evals are done
         * @description Note evals that have ended. If the lease is lost, this node gets the job first and goes on after them.
         */
        readonly post: operations["post_progress"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/jobs/claim": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Ask for a job
         * @description Get the next job that machine and owner allow, with a lease and a challenge; or every reason why not.
         *
         *     A node has one job at a time: asking again ends the lease that it holds.
         */
        readonly post: operations["claim_job"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the metrics
         * @description What every metric means, its unit and its direction.
         */
        readonly get: operations["list_metrics"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nodes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Register a node's public key
         * @description Make bundles signed by this key count as signed by you; or, for operators, by anybody, or as the project's own.
         *
         *     Registering the same key and owner again changes nothing but whether the node is the project's.
         */
        readonly post: operations["post_node"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/nodes/{key_id}/revoke": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Revoke a node's key
         * @description Take a key out of use for good. Bundles that were submitted before keep its signature; later ones are unknown.
         */
        readonly post: operations["revoke_node"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/offers": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the nodes that ask for work
         * @description Machines that are lent, what they have and what their owners allow, last heard of first.
         */
        readonly get: operations["list_offers"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/pull-keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the keys that you issued
         * @description Keys of every pull request, newest first, those that ended too.
         */
        readonly get: operations["list_keys"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/pull-keys/{key_id}/revoke": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Revoke a pull request's key
         * @description End a key for good, at once. Bundles that it uploaded stay.
         */
        readonly post: operations["revoke_pull_key"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/pulls": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List pull requests
         * @description Pull requests known here with the outcomes of their claims, the last touched first.
         */
        readonly get: operations["list_pulls"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/pulls/{owner}/{name}/{number}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a pull request
         * @description Claims, their verdicts, the evidence behind them, and the check on GitHub.
         */
        readonly get: operations["get_pull"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/pulls/{owner}/{name}/{number}/claims": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * State claims
         * @description Claim something for a pull request whose description does not.
         *
         *     Its author may, and whoever may write to the repository. The claims replace earlier ones of this kind, and are
         *     judged as if the description said them. A block there, right or wrong, is all that counts.
         */
        readonly put: operations["put_claims"];
        readonly post?: never;
        /**
         * Take back stated claims
         * @description Take back what was stated here. What the description says stays.
         */
        readonly delete: operations["delete_claims"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/pulls/{owner}/{name}/{number}/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List a pull request's keys
         * @description The keys of a pull request that you issued; administrators see everybody's.
         */
        readonly get: operations["list_pull_keys"];
        readonly put?: never;
        /**
         * Issue a key for a pull request
         * @description Make a key that uploads bundles about the present head of a pull request, and does nothing else.
         *
         *     For its author, for who may write to the repository, and for administrators.
         */
        readonly post: operations["post_pull_key"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/pulls/{owner}/{name}/{number}/sync": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Read a pull request from GitHub now
         * @description Make a pull request known, or bring it up to date, and judge its claims. For installations without webhooks.
         */
        readonly post: operations["sync_pull"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/repositories/{owner}/{name}/policy": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a merge policy
         * @description What a repository asks of its evidence before the check succeeds; empty: a supported claim is enough.
         */
        readonly get: operations["get_policy"];
        /**
         * Set a merge policy
         * @description Replace a repository's policy. Its open pull requests are judged by the new one.
         */
        readonly put: operations["put_policy"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/revalidations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List bundles that were judged again
         * @description What new rules and limits made of old bundles: findings that appeared and that are gone, newest first.
         */
        readonly get: operations["list_revalidations"];
        readonly put?: never;
        /**
         * Judge outdated bundles again
         * @description Judge every bundle again that other rules or limits judged. A server that starts asks for the same.
         */
        readonly post: operations["post_revalidations"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/rules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the rules
         * @description Every rule a bundle is checked by, with why it matters and what to do about a finding.
         */
        readonly get: operations["list_rules"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/service-key": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read the service's key
         * @description The key that signs jobs. An agent's owner compares it with what the operator publishes, once.
         */
        readonly get: operations["get_service_key"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Ask who one is
         * @description Say whom a credential speaks for and what it allows; and without one, where to sign in.
         */
        readonly get: operations["get_session"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Sign out
         * @description End the browser's session, here and in the database.
         */
        readonly delete: operations["delete_session"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sign-in": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Sign in with GitHub
         * @description Send a browser to GitHub, which asks its user; see `/sign-in/callback` for its return.
         */
        readonly get: operations["sign_in"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sign-in/callback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Come back from GitHub
         * @description Sign the browser in and lead on. What went wrong stands in the address that follows, as `problem`.
         */
        readonly get: operations["come_back"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sign-in/device": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sign in on a device
         * @description Begin a sign-in for a machine without a browser: its user types a code in somewhere else.
         */
        readonly post: operations["post_device"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sign-in/device/token": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Ask whether a device is signed in
         * @description Ask again every `interval_s` seconds. Once the user has agreed the answer holds a token, told once.
         */
        readonly post: operations["post_device_token"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/status": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How is the service?
         * @description Say what is missing or late; counted anew every five seconds at most, as anybody may ask.
         */
        readonly get: operations["get_service_status"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/suites": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the suites
         * @description Every published suite: what it runs, and how little is too little.
         */
        readonly get: operations["list_suites"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tokens": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List your tokens
         * @description Every token of your account, newest first, those that ended too.
         */
        readonly get: operations["list_tokens"];
        readonly put?: never;
        /**
         * Make a token
         * @description Make a token of your account, for a program. It can do no more than you can, at any time.
         */
        readonly post: operations["post_token"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/tokens/{token_id}/revoke": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Revoke a token
         * @description End a token for good, at once: as its account, with the token itself, or as an administrator.
         */
        readonly post: operations["revoke_token"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Is the process alive?
         * @description Answers as long as the process does; touches nothing else.
         */
        readonly get: operations["get_health"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Can the service work?
         * @description Try the database, the blob store and the task queue.
         */
        readonly get: operations["get_ready"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * AccountItem
         * @description Somebody who signed in, as administrators see them.
         */
        readonly AccountItem: {
            /**
             * Created At
             * Format: date-time
             */
            readonly created_at: string;
            /**
             * Id
             * @description GitHub's number; it stays when the login changes.
             */
            readonly id: number;
            /** Login */
            readonly login: string;
            /**
             * Role
             * @enum {string}
             */
            readonly role: "contributor" | "maintainer" | "admin";
            /**
             * Seen At
             * Format: date-time
             * @description When they last signed in.
             */
            readonly seen_at: string;
        };
        /**
         * AccountList
         * @description One page of accounts, the last seen first.
         */
        readonly AccountList: {
            /** Items */
            readonly items: readonly components["schemas"]["AccountItem"][];
            /** Next Cursor */
            readonly next_cursor: string | null;
        };
        /**
         * AccountRef
         * @description Somebody who signed in.
         */
        readonly AccountRef: {
            /**
             * Id
             * @description GitHub's number; it stays when the login changes.
             */
            readonly id: number;
            /** Login */
            readonly login: string;
            /**
             * Role
             * @enum {string}
             */
            readonly role: "contributor" | "maintainer" | "admin";
        };
        /**
         * Accuracy
         * @description lm-eval tasks on local data, both arms, every document kept.
         */
        readonly Accuracy: {
            /** Concurrency */
            readonly concurrency: number;
            /** Id */
            readonly id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "accuracy";
            /** Minimum Documents */
            readonly minimum_documents: number;
            readonly streams?: components["schemas"]["Streams"] | null;
            /** Tasks */
            readonly tasks: readonly string[];
            /** Time Limit S */
            readonly time_limit_s: number;
        };
        /**
         * ApprovalPost
         * @description Body of ``POST /api/v1/jobs/{job_id}/approve``.
         */
        readonly ApprovalPost: {
            /**
             * Head Sha
             * @description The commit that you have looked at: only this one is approved.
             */
            readonly head_sha: string;
        };
        /**
         * Arm
         * @description One side of the comparison.
         */
        readonly Arm: {
            /** Chat Template Digest */
            readonly chat_template_digest: string | "unknown" | null;
            readonly code: components["schemas"]["CodeIdentity"];
            /**
             * Draft Digest
             * @description None: no draft model.
             */
            readonly draft_digest: string | "unknown" | null;
            /** Engine Config */
            readonly engine_config: readonly components["schemas"]["ConfigEntry"][];
            /** Image Digest */
            readonly image_digest: string | "unknown";
            /**
             * Ledgers
             * @description One for each eval that drove an engine.
             */
            readonly ledgers: readonly components["schemas"]["PathLedger"][] | "unknown";
            /** Model */
            readonly model: string | "unknown";
            /**
             * Name
             * @enum {string}
             */
            readonly name: "baseline" | "candidate";
            /** Quantization */
            readonly quantization: string | "unknown";
            /** Tokenizer Digest */
            readonly tokenizer_digest: string | "unknown";
            /** Weights Digest */
            readonly weights_digest: string | "unknown";
        };
        /**
         * ArmSummary
         * @description One arm of one cell, recomputed.
         */
        readonly ArmSummary: {
            /**
             * Arm
             * @enum {string}
             */
            readonly arm: "baseline" | "candidate";
            /**
             * Blocks
             * @description Blocks left after exclusion.
             */
            readonly blocks: number;
            /**
             * Failed
             * @description Requests that ended in an error; their times are in no statistic.
             */
            readonly failed: number;
            readonly key: components["schemas"]["ComparabilityKey"];
            /** P10 */
            readonly p10: number | null;
            /** P90 */
            readonly p90: number | null;
            /**
             * P99
             * @description Percentiles; None below the suite's floor.
             */
            readonly p99: number | null;
            /**
             * Path
             * @description None: the cell drives no engine.
             */
            readonly path: components["schemas"]["PathShare"] | "unknown" | null;
            /** @description Of a decode step whose model and machine are known; None also in records stored before it was computed. */
            readonly physics?: components["schemas"]["PhysicsBound"] | null;
            /** @description Of a decode step whose kernels were timed as well. */
            readonly reconciliation?: components["schemas"]["Reconciliation"] | null;
            /**
             * Samples
             * @description What the sample floors are held against: steps, requests, documents or cases.
             */
            readonly samples: number;
            /**
             * Seconds
             * @description Time the samples took, for estimates of a further run; None: unknown.
             */
            readonly seconds: number | null;
            /**
             * Value
             * @description The metric's headline statistic; None without samples, or below the suite's floor.
             */
            readonly value: number | null;
        };
        /**
         * Aspect
         * @description One kind of evidence for one cell of the scope.
         */
        readonly Aspect: {
            /** Bundle Id */
            readonly bundle_id: string | null;
            /**
             * Cell
             * @description Of the bundle.
             */
            readonly cell: string | null;
            /** Detail */
            readonly detail: string;
            /**
             * State
             * @description ``against``: there is evidence, and it speaks against the change.
             * @enum {string}
             */
            readonly state: "shown" | "against" | "missing";
        };
        /**
         * Assessment
         * @description Everything the service keeps of a bundle for judging claims; stored and read back without the raw rows.
         */
        readonly Assessment: {
            /** Bundle Id */
            readonly bundle_id: string;
            /** Cells */
            readonly cells: readonly components["schemas"]["CellSummary"][];
            /** Duration S */
            readonly duration_s: number | "unknown";
            /** Findings */
            readonly findings: readonly components["schemas"]["Finding"][];
            /** Hardware */
            readonly hardware: string | "unknown";
            /** Head Sha */
            readonly head_sha: string | "unknown";
            /** Origin */
            readonly origin: components["schemas"]["Measured"] | components["schemas"]["Imported"];
            /** Paths */
            readonly paths: readonly components["schemas"]["PathFacts"][];
            /** Rules Applied */
            readonly rules_applied: number;
            /**
             * Slice Scores
             * @description Timed requests whose answers the service knows; empty: it knows none.
             * @default []
             */
            readonly slice_scores: readonly components["schemas"]["SliceScore"][];
            /**
             * Streams
             * @description Token streams of both arms, where the suite asks for them.
             * @default []
             */
            readonly streams: readonly components["schemas"]["StreamFacts"][];
            /**
             * Suite Id
             * @description None: no published suite.
             */
            readonly suite_id: string | null;
            /** Thresholds Version */
            readonly thresholds_version: number;
            /**
             * Tries
             * @description Runs behind this bundle: earlier attempts and this one. Each try is a chance to be lucky.
             */
            readonly tries: number;
            readonly trust: components["schemas"]["TrustLevel"];
            /**
             * Validity
             * @enum {string}
             */
            readonly validity: "valid" | "invalid" | "quarantined";
        };
        /**
         * AtLeast
         * @description ``>= 1.6x baseline``: better by at least that factor, oriented so that above 1 is always better.
         *
         *     ``<= 0.625x baseline`` on a metric where lower is better says the same and is stored the same way.
         */
        readonly AtLeast: {
            /** Factor */
            readonly factor: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "at_least";
        };
        /**
         * Attempt
         * @description An earlier try at this run on this node, also an abandoned one.
         */
        readonly Attempt: {
            /** Detail */
            readonly detail: string;
            /** Number */
            readonly number: number;
            /**
             * Outcome
             * @enum {string}
             */
            readonly outcome: "completed" | "failed" | "abandoned";
            /**
             * Started At
             * Format: date-time
             */
            readonly started_at: string;
        };
        /**
         * Audits
         * @description Which supported claims are audited: their bundle has to be reproduced, or run by the project, in any case.
         *
         *     Whether a bundle is audited is drawn by the service once it was judged, so that nobody can choose a bundle that is
         *     not; results that would matter most are audited always.
         */
        readonly Audits: {
            /**
             * From Factor
             * @description Speed-ups of at least this factor are always audited; None: they are drawn like all others.
             */
            readonly from_factor: number | null;
            /**
             * Share
             * @description Of bundles, drawn at random.
             */
            readonly share: number;
        };
        /**
         * BandwidthProbe
         * @description Read-only memory bandwidth seen by this run; raw samples, GB/s (10^9 bytes).
         */
        readonly BandwidthProbe: {
            /**
             * Device
             * @enum {string}
             */
            readonly device: "gpu" | "cpu";
            /** Read Gb Per S */
            readonly read_gb_per_s: readonly number[];
        };
        /**
         * Block
         * @description One stretch of measurement by one arm, in the order in which it ran.
         */
        readonly Block: {
            /**
             * Arm
             * @enum {string}
             */
            readonly arm: "baseline" | "candidate";
            /** Index */
            readonly index: number;
            /**
             * Purpose
             * @description ``drift`` is the sentinel: the baseline again, at the end.
             * @enum {string}
             */
            readonly purpose: "measure" | "drift";
        };
        /**
         * BundleList
         * @description One page of bundles whose upload is complete, newest first.
         */
        readonly BundleList: {
            /** Items */
            readonly items: readonly components["schemas"]["BundleRef"][];
            /**
             * Next Cursor
             * @description Null: this is the last page.
             */
            readonly next_cursor: string | null;
        };
        /**
         * BundlePage
         * @description Everything about one bundle.
         */
        readonly BundlePage: {
            /** @description Findings, recomputed cells, its trust by itself. Null until validated, and once retracted. */
            readonly assessment: components["schemas"]["Assessment"] | null;
            readonly bundle: components["schemas"]["BundleRef"];
            /**
             * Files
             * @description One for each distinct blob; empty while ``manifest`` is null.
             */
            readonly files: readonly components["schemas"]["FileDownload"][];
            /** @description Where it stands as evidence, and why; null until its pull request was judged with it. */
            readonly lifetime: components["schemas"]["Lifetime"] | null;
            /** @description Null until validated, while quarantined, and once retracted. */
            readonly manifest: components["schemas"]["Manifest"] | null;
            /** @description Who reproduced it, and how many have to; null while it does not count. */
            readonly placement: components["schemas"]["Placement"] | null;
            /** @description The pull request it is evidence for, if that is known here. */
            readonly pull: components["schemas"]["PullRef"] | null;
            /**
             * Stale
             * @description It is about a commit that is no longer the pull request's head, and nothing of it is inherited.
             */
            readonly stale: boolean;
            /** @description What is kept of it, if it was retracted. */
            readonly tombstone: components["schemas"]["Tombstone"] | null;
        };
        /**
         * BundlePost
         * @description Body of ``POST /api/v1/bundles``.
         */
        readonly BundlePost: {
            /**
             * @description The DSSE envelope over it; null: unsigned.
             * @default null
             */
            readonly envelope: components["schemas"]["Envelope"] | null;
            /**
             * Manifest
             * @description The manifest's canonical JSON, as text: its UTF-8 bytes are what the bundle's id is the SHA-256 of.
             */
            readonly manifest: string;
        };
        /**
         * BundleReceipt
         * @description Where a bundle stands. The same for a repeated request.
         */
        readonly BundleReceipt: {
            /** Bundle Id */
            readonly bundle_id: string;
            /**
             * Missing
             * @description Empty once ``upload_state`` is ``complete``.
             */
            readonly missing: readonly components["schemas"]["MissingBlob"][];
            /**
             * Trust Level
             * @description None until validated.
             */
            readonly trust_level: number | null;
            /**
             * Upload State
             * @enum {string}
             */
            readonly upload_state: "open" | "complete" | "expired";
            /**
             * Url
             * @description Page of the bundle for people.
             */
            readonly url: string;
            /**
             * Validation State
             * @enum {string}
             */
            readonly validation_state: "pending" | "running" | "valid" | "invalid" | "quarantined" | "error";
        };
        /**
         * BundleRef
         * @description A bundle in short.
         */
        readonly BundleRef: {
            /** Bundle Id */
            readonly bundle_id: string;
            /** Completed At */
            readonly completed_at: string | null;
            /**
             * Created At
             * Format: date-time
             */
            readonly created_at: string;
            /** @description Null until validated. */
            readonly findings: components["schemas"]["FindingCounts"] | null;
            /** Head Sha */
            readonly head_sha: string | null;
            /**
             * Node Key Id
             * @description The registered key whose signature holds.
             */
            readonly node_key_id: string | null;
            /** Node Owner */
            readonly node_owner: string | null;
            /**
             * Origin
             * @enum {string}
             */
            readonly origin: "measured" | "imported";
            /** Pull Number */
            readonly pull_number: number | null;
            /** Repository */
            readonly repository: string | null;
            /**
             * Repository Id
             * @description As the manifest says; null: unknown, or no pull request.
             */
            readonly repository_id: number | null;
            /**
             * Rulings
             * @description What operators decided about it, oldest first.
             */
            readonly rulings: readonly components["schemas"]["RulingRef"][];
            /**
             * Signature
             * @enum {string}
             */
            readonly signature: "absent" | "valid" | "invalid" | "unknown_key";
            /** Size Bytes */
            readonly size_bytes: number;
            /**
             * Standing
             * @description As evidence for its pull request; null until that was judged with it.
             */
            readonly standing: ("current" | "inherited" | "stale" | "superseded" | "retracted" | "invalidated") | null;
            /**
             * Suite
             * @description ``id/version``; null for imports.
             */
            readonly suite: string | null;
            /** @description Among the runs of others; null until validated. */
            readonly trust: components["schemas"]["TrustLevel"] | null;
            /**
             * Upload State
             * @enum {string}
             */
            readonly upload_state: "open" | "complete" | "expired";
            /**
             * Url
             * @description Its page here.
             */
            readonly url: string;
            /** Validated At */
            readonly validated_at: string | null;
            /**
             * Validation Detail
             * @description Why validation ended in ``error`` or ``quarantined``; else empty.
             */
            readonly validation_detail: string;
            /**
             * Validation State
             * @enum {string}
             */
            readonly validation_state: "pending" | "running" | "valid" | "invalid" | "quarantined" | "error";
        };
        /**
         * Capabilities
         * @description A machine as its agent's software found it; nothing of it is typed.
         */
        readonly Capabilities: {
            /** Agent Version */
            readonly agent_version: string;
            /** Cpu Count */
            readonly cpu_count: number | "unknown";
            /** Cuda Version */
            readonly cuda_version: string | "unknown";
            /** Driver Version */
            readonly driver_version: string | "unknown";
            /** Gpus */
            readonly gpus: readonly components["schemas"]["Gpu"][];
            /** Links */
            readonly links: readonly components["schemas"]["Link"][];
            /** Memory Bytes */
            readonly memory_bytes: number | "unknown";
            /**
             * Runner
             * @description What runs a job. ``process``: no container, for machines of developers who trust every job they get.
             * @enum {string}
             */
            readonly runner: "podman" | "docker" | "process";
            /** Runner Version */
            readonly runner_version: string | "unknown";
        };
        /**
         * Cell
         * @description One coordinate at which arms can be compared. Raw rows name it by ``id``.
         */
        readonly Cell: {
            /** Arms */
            readonly arms: readonly ("baseline" | "candidate")[];
            /**
             * Batch
             * @description Requested: rows of a decode step, or concurrent requests when serving. Achieved is recomputed from rows.
             */
            readonly batch: number | "unknown";
            /** Context Parallel */
            readonly context_parallel: number | "unknown";
            /** Context Tokens */
            readonly context_tokens: number | "unknown";
            /** Id */
            readonly id: string;
            /** Input Tokens */
            readonly input_tokens: number | "unknown";
            /**
             * Metric
             * @enum {string}
             */
            readonly metric: "step_latency_us" | "ttft_ms" | "tpot_ms" | "itl_ms" | "e2e_ms" | "output_tokens_per_s" | "requests_per_s" | "score" | "max_relative_error";
            /** Output Tokens */
            readonly output_tokens: number | "unknown";
            /**
             * Phase
             * @enum {string}
             */
            readonly phase: "prefill" | "decode" | "mixed" | "request";
            /** Speculation */
            readonly speculation: (components["schemas"]["NoSpeculation"] | components["schemas"]["NaturalSpeculation"] | components["schemas"]["SyntheticSpeculation"]) | "unknown";
            /**
             * Task
             * @description The accuracy task with its filter and metric (``task/filter/metric``), or the operator of a numerics cell.
             */
            readonly task: string | null;
            /** Tensor Parallel */
            readonly tensor_parallel: number | "unknown";
        };
        /**
         * CellName
         * @description One result of a bundle.
         */
        readonly CellName: {
            /** Cell */
            readonly cell: string;
            /** Eval Id */
            readonly eval_id: string;
            /**
             * Metric
             * @enum {string}
             */
            readonly metric: "step_latency_us" | "ttft_ms" | "tpot_ms" | "itl_ms" | "e2e_ms" | "output_tokens_per_s" | "requests_per_s" | "score" | "max_relative_error";
        };
        /**
         * CellSelector
         * @description Which cells a claim is about. None: any. A list: each of them, and none may be missing.
         */
        readonly CellSelector: {
            /** Batch */
            readonly batch: readonly number[] | null;
            /** Context */
            readonly context: readonly number[] | null;
            /** Cp */
            readonly cp: readonly number[] | null;
            /** Phase */
            readonly phase: readonly ("prefill" | "decode" | "mixed" | "request")[] | null;
            /** Speculation */
            readonly speculation: readonly ("none" | "natural" | "synthetic")[] | null;
            /**
             * Task
             * @description Task or operator names, or full ``task/filter/metric`` triples.
             */
            readonly task: readonly string[] | null;
            /** Tp */
            readonly tp: readonly number[] | null;
        };
        /**
         * CellSummary
         * @description One cell of one bundle: everything a verdict or a page needs, without the raw rows.
         */
        readonly CellSummary: {
            /**
             * Arms
             * @description Arms with rows, baseline first.
             */
            readonly arms: readonly components["schemas"]["ArmSummary"][];
            /**
             * Better
             * @enum {string}
             */
            readonly better: "lower" | "higher";
            /** Bundle Id */
            readonly bundle_id: string;
            readonly cell: components["schemas"]["Cell"];
            /**
             * Differing
             * @description Comparability fields in which the arms differ, a = baseline; empty with two arms: comparable.
             */
            readonly differing: readonly components["schemas"]["Difference"][];
            readonly drift: components["schemas"]["Drift"] | null;
            /** @description Candidate against baseline; None when an arm is missing, too small, or not comparable. */
            readonly estimate: components["schemas"]["Estimate"] | null;
            /** Eval Id */
            readonly eval_id: string;
            /**
             * Eval Kind
             * @enum {string}
             */
            readonly eval_kind: "kernel_numerics" | "decode_step" | "serving" | "accuracy";
            /** Excluded Blocks */
            readonly excluded_blocks: readonly number[];
            /**
             * Kind
             * @enum {string}
             */
            readonly kind: "speed" | "accuracy" | "numerics";
            readonly noise_floor: components["schemas"]["NoiseFloor"] | null;
            readonly numerics: components["schemas"]["NumericsSummary"] | null;
            /** @description Accuracy with 0/1 scores only. */
            readonly pairs: components["schemas"]["Pairs"] | null;
            /**
             * Sample Floor
             * @description Samples below which the headline statistic is not stated.
             */
            readonly sample_floor: number;
            /**
             * Throttling
             * @description ``excluded``: throttled blocks and their partners in the other arm were left out. ``unplaced``: a GPU throttled
             *     and the samples' clock does not tell during which block.
             */
            readonly throttling: ("none" | "excluded" | "unplaced") | "unknown";
            /** Unit */
            readonly unit: string;
            /**
             * Unverified
             * @description Comparability fields unknown in both arms.
             */
            readonly unverified: readonly string[];
        };
        /**
         * CellVerdict
         * @description One cell's part in a verdict.
         */
        readonly CellVerdict: {
            readonly cell: components["schemas"]["CellSummary"];
            /**
             * Outcome
             * @enum {string}
             */
            readonly outcome: "supported" | "contradicted" | "inconclusive" | "no_evidence" | "not_comparable";
            /** Reason */
            readonly reason: string;
        };
        /**
         * Challenge
         * @description What the server issued for this run; one use.
         */
        readonly Challenge: {
            /** Id */
            readonly id: string;
            /** Nonce */
            readonly nonce: string;
            /** Plan Digest */
            readonly plan_digest: string;
        };
        /**
         * ChallengeGivenUp
         * @description Body of ``POST /api/v1/challenges/{challenge_id}/abandon``.
         */
        readonly ChallengeGivenUp: {
            /**
             * Nonce
             * @description Proves that it is yours.
             */
            readonly nonce: string;
        };
        /**
         * ChallengeList
         * @description One page of the challenges that were issued for a pull request, newest first.
         */
        readonly ChallengeList: {
            /** Items */
            readonly items: readonly components["schemas"]["ChallengeRef"][];
            /**
             * Next Cursor
             * @description Null: this is the last page.
             */
            readonly next_cursor: string | null;
        };
        /**
         * ChallengePost
         * @description Body of ``POST /api/v1/challenges``.
         */
        readonly ChallengePost: {
            /**
             * Node Key Id
             * @description A registered node: only a bundle with its signature can use the challenge. Null: any that knows the nonce.
             * @default null
             */
            readonly node_key_id: string | null;
            /** Pull Number */
            readonly pull_number: number;
            /** Repository */
            readonly repository: string;
            /**
             * Suite Digest
             * @description Of a published suite; `GET /api/v1/suites` lists them.
             */
            readonly suite_digest: string;
        };
        /**
         * ChallengeReceipt
         * @description A challenge, told once to whoever asked for it.
         */
        readonly ChallengeReceipt: {
            /**
             * Expires At
             * Format: date-time
             * @description The bundle has to be submitted before.
             */
            readonly expires_at: string;
            /**
             * Head Sha
             * @description The commit that the run has to be about.
             */
            readonly head_sha: string;
            /** Id */
            readonly id: string;
            /**
             * Issued At
             * Format: date-time
             */
            readonly issued_at: string;
            /** Node Key Id */
            readonly node_key_id: string | null;
            /**
             * Nonce
             * @description Everything that a run could choose is derived from it. Keep it to yourself until the bundle is submitted.
             */
            readonly nonce: string;
            /**
             * Plan Digest
             * @description SHA-256 of the plan that nonce and suite imply.
             */
            readonly plan_digest: string;
            /** Pull Number */
            readonly pull_number: number;
            /** Repository */
            readonly repository: string;
            /** Repository Id */
            readonly repository_id: number;
            /** Suite Digest */
            readonly suite_digest: string;
        };
        /**
         * ChallengeRef
         * @description An issued challenge and what became of it.
         */
        readonly ChallengeRef: {
            /**
             * Bundle Id
             * @description The bundle that used it.
             */
            readonly bundle_id: string | null;
            /**
             * Expires At
             * Format: date-time
             */
            readonly expires_at: string;
            /**
             * Fate
             * @description ``open``: a bundle may still use it; ``used``: by ``bundle_id``; ``abandoned``: given up by whoever asked for it;
             *     ``expired``: no bundle came in time.
             * @enum {string}
             */
            readonly fate: "open" | "used" | "abandoned" | "expired";
            /**
             * Head Sha
             * @description The commit that the run has to be about.
             */
            readonly head_sha: string;
            /** Id */
            readonly id: string;
            /**
             * Issued At
             * Format: date-time
             */
            readonly issued_at: string;
            /**
             * Node Key Id
             * @description The node it was issued to; null: any.
             */
            readonly node_key_id: string | null;
            /**
             * Nonce
             * @description What prompts and seeds are made from. Null while open: whoever knows it could use the challenge.
             */
            readonly nonce: string | null;
            /** Plan Digest */
            readonly plan_digest: string;
            /**
             * Suite
             * @description ``id/version``.
             */
            readonly suite: string;
        };
        /**
         * ChallengeTally
         * @description What became of all challenges of a pull request. Those that ended without a bundle count as tries.
         */
        readonly ChallengeTally: {
            /** Abandoned */
            readonly abandoned: number;
            /** Expired */
            readonly expired: number;
            /** Issued */
            readonly issued: number;
            /** Open */
            readonly open: number;
            /** Used */
            readonly used: number;
        };
        /**
         * CheckState
         * @description The newest check of a pull request, and whether it stands on GitHub yet.
         */
        readonly CheckState: {
            /** Attempts */
            readonly attempts: number;
            /**
             * Conclusion
             * @enum {string}
             */
            readonly conclusion: "success" | "failure" | "neutral" | "action_required";
            /**
             * Created At
             * Format: date-time
             */
            readonly created_at: string;
            /**
             * Detail
             * @description Why the last attempt failed; else empty.
             */
            readonly detail: string;
            /** Head Sha */
            readonly head_sha: string;
            /** Sent At */
            readonly sent_at: string | null;
            /**
             * State
             * @description ``pending``: will be posted; ``sent``: stands there; ``dead``: given up, see ``detail``.
             * @enum {string}
             */
            readonly state: "pending" | "sent" | "superseded" | "dead";
            /** Title */
            readonly title: string;
            /**
             * Url
             * @description Where it stands on GitHub; null until sent.
             */
            readonly url: string | null;
        };
        /**
         * Claim
         * @description One claim of a pull request.
         */
        readonly Claim: {
            /**
             * Acceptance
             * @description None: any, but all cells of one kind.
             */
            readonly acceptance: (components["schemas"]["NoAcceptance"] | components["schemas"]["NaturalAcceptance"] | components["schemas"]["SyntheticAcceptance"]) | null;
            readonly cells: components["schemas"]["CellSelector"];
            /** Id */
            readonly id: string;
            /**
             * Line
             * @description Line of the pull request's text on which the claim begins.
             */
            readonly line: number;
            /**
             * Metric
             * @enum {string}
             */
            readonly metric: "step_latency_us" | "ttft_ms" | "tpot_ms" | "itl_ms" | "e2e_ms" | "output_tokens_per_s" | "requests_per_s" | "score" | "max_relative_error";
            /** Relation */
            readonly relation: components["schemas"]["AtLeast"] | components["schemas"]["NoRegression"] | components["schemas"]["EqualWithin"] | components["schemas"]["WithinTolerance"];
            /**
             * Relation Text
             * @description As written.
             */
            readonly relation_text: string;
            /**
             * Suite
             * @description Only evidence from this suite counts; None: any published suite.
             */
            readonly suite: string | null;
        };
        /**
         * ClaimAnswer
         * @description What a node gets: a job, or the reasons why not.
         */
        readonly ClaimAnswer: {
            /**
             * Ask Again S
             * @description Seconds after which asking again makes sense.
             */
            readonly ask_again_s: number;
            /**
             * Hindrances
             * @description Empty if there is a job.
             */
            readonly hindrances: readonly components["schemas"]["Hindrance"][];
            readonly job: components["schemas"]["Grant"] | null;
            /**
             * Server Time
             * Format: date-time
             */
            readonly server_time: string;
        };
        /**
         * ClaimError
         * @description One thing that is wrong with a claims block.
         */
        readonly ClaimError: {
            /** Code */
            readonly code: string;
            /** Detail */
            readonly detail: string;
            /**
             * Line
             * @description Line of the pull request's text.
             */
            readonly line: number;
        };
        /**
         * ClaimOutcome
         * @description What a claim's verdict was that rested on the bundle.
         */
        readonly ClaimOutcome: {
            /** Claim Id */
            readonly claim_id: string;
            /** Outcome */
            readonly outcome: string;
        };
        /**
         * ClaimPost
         * @description Body of ``POST /api/v1/jobs/claim``.
         */
        readonly ClaimPost: {
            /**
             * Node Key Id
             * @description A registered node of whoever asks.
             */
            readonly node_key_id: string;
            readonly offer: components["schemas"]["Offer"];
            /**
             * Sent At
             * Format: date-time
             * @description The node's clock; only the skew is made of it.
             */
            readonly sent_at: string;
        };
        /**
         * ClaimSet
         * @description What a pull request claims. With errors there are no claims: half a block is not judged.
         */
        readonly ClaimSet: {
            /** Claims */
            readonly claims: readonly components["schemas"]["Claim"][];
            /** Errors */
            readonly errors: readonly components["schemas"]["ClaimError"][];
            /** @description Declared scope of the change; None: none was declared. */
            readonly scope?: components["schemas"]["Scope"] | null;
        };
        /**
         * ClaimsPut
         * @description Claims, as they would stand in the description.
         */
        readonly ClaimsPut: {
            /**
             * Block
             * @description The inside of a `byogpu-claims` block, without the fences.
             */
            readonly block: string;
        };
        /**
         * CodeIdentity
         * @description Which source an arm ran.
         */
        readonly CodeIdentity: {
            /** Commit Sha */
            readonly commit_sha: string | "unknown";
            /** Dirty */
            readonly dirty: boolean | "unknown";
            /**
             * Tree Digest
             * @description SHA-256 over the sorted ``path, sha256`` list of the arm's source tree.
             */
            readonly tree_digest: string | "unknown";
        };
        /**
         * ComparabilityKey
         * @description Identity of one number: one arm of one cell. Every field takes part in the comparison.
         */
        readonly ComparabilityKey: {
            /** Acceptance */
            readonly acceptance: ("none" | "natural" | "synthetic") | "unknown";
            /**
             * Acceptance Length
             * @description The simulated length; None unless acceptance is synthetic.
             */
            readonly acceptance_length: number | null;
            /**
             * Achieved Concurrency
             * @description Rows of a decode step, or requests in flight, recomputed from rows or the ledger; never from a configuration.
             */
            readonly achieved_concurrency: number | "unknown" | null;
            /** Chat Template Digest */
            readonly chat_template_digest: string | "unknown" | null;
            /** Context Parallel */
            readonly context_parallel: number | "unknown";
            /** Context Tokens */
            readonly context_tokens: number | "unknown" | null;
            /**
             * Documents
             * @description Digest over the documents and prompts of an accuracy cell; None for other metrics.
             */
            readonly documents: string | "unknown" | null;
            /** Draft Digest */
            readonly draft_digest: string | "unknown" | null;
            /** Drafts */
            readonly drafts: number | "unknown";
            /** Gpu Count */
            readonly gpu_count: number | "unknown";
            /**
             * Hardware
             * @description GPU classes, sorted and joined; the CPU model on a machine without a GPU.
             */
            readonly hardware: string | "unknown";
            /** Input Tokens */
            readonly input_tokens: number | "unknown" | null;
            /**
             * Metric
             * @enum {string}
             */
            readonly metric: "step_latency_us" | "ttft_ms" | "tpot_ms" | "itl_ms" | "e2e_ms" | "output_tokens_per_s" | "requests_per_s" | "score" | "max_relative_error";
            /** Metric Version */
            readonly metric_version: number;
            /** Model */
            readonly model: string | "unknown";
            /**
             * Output Tokens
             * @description None, as for the two above: the eval has no such coordinate.
             */
            readonly output_tokens: number | "unknown" | null;
            /**
             * Phase
             * @enum {string}
             */
            readonly phase: "prefill" | "decode" | "mixed" | "request";
            /** Quantization */
            readonly quantization: string | "unknown";
            /**
             * Requested Batch
             * @description None where a batch means nothing: accuracy and numerics.
             */
            readonly requested_batch: number | "unknown" | null;
            /** Speculation Method */
            readonly speculation_method: string | null;
            /** Task */
            readonly task: string | null;
            /** Tensor Parallel */
            readonly tensor_parallel: number | "unknown";
            /** Tokenizer Digest */
            readonly tokenizer_digest: string | "unknown";
            /** Weights Digest */
            readonly weights_digest: string | "unknown";
        };
        /**
         * ComparedCell
         * @description One arm of a cell of A against one arm of a cell of B.
         */
        readonly ComparedCell: {
            readonly a: components["schemas"]["ArmSummary"];
            /**
             * Arm A
             * @enum {string}
             */
            readonly arm_a: "baseline" | "candidate";
            /**
             * Arm B
             * @enum {string}
             */
            readonly arm_b: "baseline" | "candidate";
            readonly b: components["schemas"]["ArmSummary"];
            /**
             * Better
             * @enum {string}
             */
            readonly better: "lower" | "higher";
            /** Cell A */
            readonly cell_a: string;
            /** Cell B */
            readonly cell_b: string;
            /** Comparable */
            readonly comparable: boolean;
            /** Differing */
            readonly differing: readonly components["schemas"]["Difference"][];
            /**
             * @description B against A: a ratio above 1, or a positive difference, says that B is better. None when not comparable, or too
             *     small.
             */
            readonly estimate: components["schemas"]["Estimate"] | null;
            /** Metric */
            readonly metric: string;
            /** Unit */
            readonly unit: string;
            /**
             * Unverified
             * @description Fields unknown on both sides.
             */
            readonly unverified: readonly string[];
        };
        /**
         * ComparePage
         * @description Two bundles side by side.
         */
        readonly ComparePage: {
            readonly a: components["schemas"]["BundleRef"];
            readonly b: components["schemas"]["BundleRef"];
            readonly comparison: components["schemas"]["Comparison"];
        };
        /**
         * Comparison
         * @description What ``byogpu compare A B`` prints and the compare page shows.
         */
        readonly Comparison: {
            /** A */
            readonly a: string;
            /** B */
            readonly b: string;
            /** Cells */
            readonly cells: readonly components["schemas"]["ComparedCell"][];
            /**
             * Comparable
             * @description Every pair of cells is comparable, and there is at least one.
             */
            readonly comparable: boolean;
            /**
             * Differing
             * @description Every distinct difference of any pair, in the order of the pairs and the key's fields.
             */
            readonly differing: readonly components["schemas"]["Difference"][];
            /** Only A */
            readonly only_a: readonly string[];
            /**
             * Only B
             * @description Cells without a partner.
             */
            readonly only_b: readonly string[];
        };
        /**
         * Completed
         * @description The eval ran to its end.
         */
        readonly Completed: {
            /** Duration S */
            readonly duration_s: number | "unknown";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly outcome: "completed";
        };
        /**
         * ConfigEntry
         * @description One line of the resolved engine configuration.
         */
        readonly ConfigEntry: {
            /** Name */
            readonly name: string;
            /** Value */
            readonly value: string;
        };
        /**
         * Consent
         * @description What a node's owner lets it run. A list names what is allowed; an empty one allows nothing, ``*`` anything.
         */
        readonly Consent: {
            /**
             * Authors
             * @description Authors of pull requests.
             */
            readonly authors: readonly string[];
            /**
             * Images
             * @description Images by digest, or names before the ``@`` of which any digest is taken.
             */
            readonly images: readonly string[];
            /**
             * Longest S
             * @description Longest time a job may take.
             */
            readonly longest_s: number;
            /** Repositories */
            readonly repositories: readonly string[];
            /** Suites */
            readonly suites: readonly string[];
        };
        /**
         * ContainerLimits
         * @description What the control group allows.
         */
        readonly ContainerLimits: {
            /** Containerized */
            readonly containerized: boolean | "unknown";
            /**
             * Cpu Limit
             * @description CPUs; None: no limit.
             */
            readonly cpu_limit: number | "unknown" | null;
            /** Memory Limit Bytes */
            readonly memory_limit_bytes: number | "unknown" | null;
        };
        /**
         * DecodeStep
         * @description Latency of single decode steps, arms interleaved in blocks.
         */
        readonly DecodeStep: {
            /** Batches */
            readonly batches: readonly number[];
            /** Block Order */
            readonly block_order: readonly ("baseline" | "candidate")[];
            /** Context Tokens */
            readonly context_tokens: readonly number[];
            /** Id */
            readonly id: string;
            /**
             * Kernel Times
             * @description Whether each arm's last block times the kernels of its steps too.
             * @default false
             */
            readonly kernel_times: boolean;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "decode_step";
            /**
             * Rounds
             * @description How often ``block_order`` is repeated; one more baseline block follows, the drift sentinel.
             */
            readonly rounds: number;
            /** Steps Per Block */
            readonly steps_per_block: number;
            /** Time Limit S */
            readonly time_limit_s: number;
            /** Warmup Steps */
            readonly warmup_steps: number;
        };
        /**
         * DevicePost
         * @description Body of ``POST /api/v1/sign-in/device/token``.
         */
        readonly DevicePost: {
            /** Device Code */
            readonly device_code: string;
            /**
             * Name
             * @description Of the token.
             */
            readonly name: string;
        };
        /**
         * DeviceProgress
         * @description How far a sign-in on a device has come.
         */
        readonly DeviceProgress: {
            readonly account: components["schemas"]["AccountRef"] | null;
            /**
             * Interval S
             * @description Waiting: the interval from now on, if we were asked too often.
             */
            readonly interval_s: number | null;
            /**
             * State
             * @enum {string}
             */
            readonly state: "waiting" | "granted";
            /** @description Granted: told once. */
            readonly token: components["schemas"]["TokenReceipt"] | null;
        };
        /**
         * DeviceReceipt
         * @description A sign-in that waits for somebody to agree in a browser.
         */
        readonly DeviceReceipt: {
            /** Device Code */
            readonly device_code: string;
            /** Expires In S */
            readonly expires_in_s: number;
            /**
             * Interval S
             * @description Ask no more often.
             */
            readonly interval_s: number;
            /**
             * User Code
             * @description What they type at ``verification_uri``.
             */
            readonly user_code: string;
            /** Verification Uri */
            readonly verification_uri: string;
        };
        /**
         * Difference
         * @description One field in which two keys differ.
         */
        readonly Difference: {
            /** A */
            readonly a: string;
            /** B */
            readonly b: string;
            /** Field */
            readonly field: string;
        };
        /**
         * Drift
         * @description How far the baseline moved between its first and its last block.
         */
        readonly Drift: {
            /** Exceeded */
            readonly exceeded: boolean;
            /**
             * Ratio
             * @description Median of the last baseline block by that of the first.
             */
            readonly ratio: number;
        };
        /**
         * Envelope
         * @description A DSSE envelope, taken as it is: the signature is checked against the manifest's exact bytes.
         */
        readonly Envelope: {
            /** Payload */
            readonly payload: string;
            /**
             * Payloadtype
             * @constant
             */
            readonly payloadType: "application/vnd.in-toto+json";
            /** Signatures */
            readonly signatures: readonly components["schemas"]["EnvelopeSignature"][];
        };
        /**
         * EnvelopeSignature
         * @description One signature of an envelope.
         */
        readonly EnvelopeSignature: {
            /** Keyid */
            readonly keyid: string;
            /** Sig */
            readonly sig: string;
        };
        /**
         * Environment
         * @description The whole machine.
         */
        readonly Environment: {
            /** Bandwidth */
            readonly bandwidth: components["schemas"]["BandwidthProbe"] | "unknown";
            readonly container: components["schemas"]["ContainerLimits"];
            /** Cpu Count */
            readonly cpu_count: number | "unknown";
            /** Cpu Model */
            readonly cpu_model: string | "unknown";
            /** Cuda Version */
            readonly cuda_version: string | "unknown";
            /** Driver Version */
            readonly driver_version: string | "unknown";
            /** Gpu Processes */
            readonly gpu_processes: readonly components["schemas"]["GpuProcess"][] | "unknown";
            /**
             * Gpus
             * @description An empty list: NVML answered that there is none. ``unknown``: NVML could not be asked.
             */
            readonly gpus: readonly components["schemas"]["Gpu"][] | "unknown";
            /** Kernel */
            readonly kernel: string | "unknown";
            /** Links */
            readonly links: readonly components["schemas"]["Link"][] | "unknown";
            /** Memory Bytes */
            readonly memory_bytes: number | "unknown";
            /** Packages */
            readonly packages: readonly components["schemas"]["Package"][];
            /** Python Version */
            readonly python_version: string;
            /** System */
            readonly system: string | "unknown";
            /** Variables */
            readonly variables: readonly components["schemas"]["Variable"][];
        };
        /**
         * EqualWithin
         * @description ``equal within 2%``: neither worse nor better by more than that share; points for scores.
         */
        readonly EqualWithin: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "equal";
            /** Within */
            readonly within: number;
        };
        /**
         * Estimate
         * @description A comparison of the candidate with the baseline, and how sure it is.
         *
         *     ``ratio``: oriented so that above 1 is always better, whatever the metric. ``difference``: candidate minus
         *     baseline in the metric's own unit (accuracy).
         */
        readonly Estimate: {
            /**
             * High
             * @description Bounds of the two-sided 95 % interval.
             */
            readonly high: number;
            /**
             * Kind
             * @enum {string}
             */
            readonly kind: "ratio" | "difference";
            /** Low */
            readonly low: number;
            /**
             * Method
             * @enum {string}
             */
            readonly method: "block_bootstrap" | "paired_documents";
            /**
             * Quantiles
             * @description The distribution behind the interval, ascending; one-sided errors down to 0.0001 can be read from it.
             */
            readonly quantiles: readonly components["schemas"]["Quantile"][];
            /** Value */
            readonly value: number;
        };
        /**
         * EvalDone
         * @description An eval of the suite that has come to its end.
         */
        readonly EvalDone: {
            /** Duration S */
            readonly duration_s: number;
            /** Eval Id */
            readonly eval_id: string;
            /**
             * Outcome
             * @enum {string}
             */
            readonly outcome: "completed" | "failed" | "timed_out" | "skipped";
        };
        /**
         * EvalRecord
         * @description One eval of the suite: how it ended, the cells it covers, the order of its blocks.
         */
        readonly EvalRecord: {
            /** Blocks */
            readonly blocks: readonly components["schemas"]["Block"][];
            /** Cells */
            readonly cells: readonly components["schemas"]["Cell"][];
            /** Id */
            readonly id: string;
            /**
             * Kind
             * @enum {string}
             */
            readonly kind: "kernel_numerics" | "decode_step" | "serving" | "accuracy";
            /** Outcome */
            readonly outcome: components["schemas"]["Completed"] | components["schemas"]["Failed"] | components["schemas"]["Skipped"] | components["schemas"]["TimedOut"];
        };
        /**
         * EvidenceItem
         * @description A bundle as evidence for a pull request.
         */
        readonly EvidenceItem: {
            readonly bundle: components["schemas"]["BundleRef"];
            /**
             * Claim Ids
             * @description Claims whose verdicts looked at it.
             */
            readonly claim_ids: readonly string[];
            /** @description Where it stands, and why; null until the pull request was judged with it. */
            readonly lifetime: components["schemas"]["Lifetime"] | null;
            /**
             * Stale
             * @description It is about a commit that is no longer the pull request's head, and nothing of it is inherited: it is shown and
             *     counts for nothing.
             */
            readonly stale: boolean;
        };
        /**
         * Failed
         * @description The eval broke; what it had measured is kept.
         */
        readonly Failed: {
            /** Code */
            readonly code: string;
            /** Detail */
            readonly detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly outcome: "failed";
        };
        /**
         * FailPost
         * @description Body of ``POST /api/v1/jobs/{job_id}/fail``.
         */
        readonly FailPost: {
            /**
             * Cause
             * @description ``job``: it broke by itself; ``node``: the machine or the network did; ``drained``: the owner wants the machine;
             *     ``cancelled``: the heartbeat said so. Only ``job`` counts against the job.
             * @enum {string}
             */
            readonly cause: "job" | "node" | "drained" | "cancelled";
            /**
             * Detail
             * @description What happened, for a person.
             */
            readonly detail: string;
            /** Node Key Id */
            readonly node_key_id: string;
            /** Token */
            readonly token: number;
        };
        /**
         * FileDownload
         * @description Where a file of the manifest can be downloaded.
         */
        readonly FileDownload: {
            /** Sha256 */
            readonly sha256: string;
            /** Url */
            readonly url: string;
        };
        /**
         * FileEntry
         * @description One file of the bundle. ``name`` is for display; only the digest finds it.
         */
        readonly FileEntry: {
            /**
             * Arm
             * @description The arm all of the file's rows belong to; None if rows say so themselves, or it is about neither.
             */
            readonly arm: ("baseline" | "candidate") | null;
            /** Eval Id */
            readonly eval_id: string | null;
            /**
             * Media Type
             * @enum {string}
             */
            readonly media_type: "application/json" | "application/x-ndjson" | "text/plain";
            /** Name */
            readonly name: string;
            /**
             * Role
             * @enum {string}
             */
            readonly role: "steps" | "requests" | "numerics" | "lm_eval_results" | "lm_eval_samples" | "telemetry" | "counters" | "streams" | "kernel_times" | "summary" | "imported" | "log";
            /** Sha256 */
            readonly sha256: string;
            /** Size Bytes */
            readonly size_bytes: number;
        };
        /**
         * Finding
         * @description One thing that one rule found in one bundle.
         */
        readonly Finding: {
            /**
             * Arm
             * @description None: about both arms.
             */
            readonly arm: ("baseline" | "candidate") | null;
            /**
             * Bears On
             * @description Kinds of claims it can block.
             */
            readonly bears_on: readonly ("speed" | "accuracy" | "numerics")[];
            /**
             * Cell
             * @description None: about every cell of the eval.
             */
            readonly cell: string | null;
            /**
             * Detail
             * @description What was found, with its numbers. May quote the bundle: escape before showing.
             */
            readonly detail: string;
            /**
             * Effect
             * @enum {string}
             */
            readonly effect: "invalidates" | "quarantines" | "blocks" | "limits" | "notes";
            /**
             * Eval Id
             * @description None: the finding is about the whole bundle.
             */
            readonly eval_id: string | null;
            /**
             * Hint
             * @description What the owner of the bundle can do about it.
             */
            readonly hint: string;
            /** Rule Id */
            readonly rule_id: string;
            /** Rule Version */
            readonly rule_version: number;
            /**
             * Severity
             * @enum {string}
             */
            readonly severity: "error" | "warning" | "info";
            /** Title */
            readonly title: string;
            /**
             * Where
             * @description For a person: ``evals/decode-step/cells/b4/baseline``, ``files/3``, ``environment/gpus/0``.
             */
            readonly where: string;
        };
        /**
         * FindingCounts
         * @description How many findings there are of each severity.
         */
        readonly FindingCounts: {
            /** Error */
            readonly error: number;
            /** Info */
            readonly info: number;
            /** Warning */
            readonly warning: number;
        };
        /**
         * FinishPost
         * @description Body of ``POST /api/v1/jobs/{job_id}/finish``.
         */
        readonly FinishPost: {
            /**
             * Bundle Id
             * @description The bundle, submitted; it has used the job's challenge.
             */
            readonly bundle_id: string;
            /** Node Key Id */
            readonly node_key_id: string;
            /** Token */
            readonly token: number;
        };
        /**
         * Gpu
         * @description One GPU as NVML describes it.
         */
        readonly Gpu: {
            /** Compute Capability */
            readonly compute_capability: string | "unknown";
            /** Compute Mode */
            readonly compute_mode: string | "unknown";
            /** Ecc */
            readonly ecc: ("on" | "off") | "unknown";
            /** Index */
            readonly index: number;
            /** Memory Bytes */
            readonly memory_bytes: number | "unknown";
            /** Memory Clock Max Mhz */
            readonly memory_clock_max_mhz: number | "unknown";
            /** Mig */
            readonly mig: ("on" | "off") | "unknown";
            /** Multiprocessors */
            readonly multiprocessors: number | "unknown";
            /** Name */
            readonly name: string;
            /** Pci Bus Id */
            readonly pci_bus_id: string | "unknown";
            /** Pci Device Id */
            readonly pci_device_id: string | "unknown";
            /** Power Limit W */
            readonly power_limit_w: number | "unknown";
            /** Sm Clock Max Mhz */
            readonly sm_clock_max_mhz: number | "unknown";
            /**
             * Uuid Hash
             * @description SHA-256 of the UUID: the same card is recognised, its serial number is not published.
             */
            readonly uuid_hash: string | "unknown";
            /** Vbios */
            readonly vbios: string | "unknown";
        };
        /**
         * GpuProcess
         * @description A process that was on a GPU before the run began; nameless, so that nothing private leaves the host.
         */
        readonly GpuProcess: {
            /** Gpu Index */
            readonly gpu_index: number;
            /**
             * Kind
             * @enum {string}
             */
            readonly kind: "compute" | "graphics";
            /** Memory Bytes */
            readonly memory_bytes: number | "unknown";
        };
        /**
         * Grant
         * @description A job with the lease under which it is run.
         */
        readonly Grant: {
            /**
             * Done
             * @description Evals that this node has done under the same challenge: it may go on after them.
             */
            readonly done: readonly components["schemas"]["EvalDone"][];
            /**
             * Envelope
             * @description The job, signed by the service: a DSSE envelope whose payload is a `byogpu.job/1`.
             */
            readonly envelope: string;
            /**
             * Heartbeat S
             * @description Seconds between two heartbeats.
             */
            readonly heartbeat_s: number;
            /** Job Id */
            readonly job_id: string;
            /**
             * Lease Until
             * Format: date-time
             */
            readonly lease_until: string;
            /** Token */
            readonly token: number;
        };
        /**
         * Health
         * @description The process answers.
         */
        readonly Health: {
            /**
             * Status
             * @constant
             */
            readonly status: "ok";
            /** Version */
            readonly version: string;
        };
        /**
         * HeartbeatAnswer
         * @description A lease that holds on.
         */
        readonly HeartbeatAnswer: {
            /**
             * Cancel
             * @description Whether to stop: somebody cancelled the job.
             */
            readonly cancel: boolean;
            /**
             * Lease Until
             * Format: date-time
             */
            readonly lease_until: string;
            /**
             * Server Time
             * Format: date-time
             */
            readonly server_time: string;
        };
        /**
         * HeartbeatPost
         * @description Body of ``POST /api/v1/jobs/{job_id}/heartbeat``.
         */
        readonly HeartbeatPost: {
            /** Node Key Id */
            readonly node_key_id: string;
            /**
             * Sent At
             * Format: date-time
             */
            readonly sent_at: string;
            /** Token */
            readonly token: number;
        };
        /**
         * HiddenSlice
         * @description Prompts with answers that the service may know, hidden among the timed requests of a run.
         *
         *     The nonce decides which of the pool ride in which block, so that nobody knows before a run what will be scored.
         */
        readonly HiddenSlice: {
            /**
             * Per Block
             * @description Of each block's requests, in every cell.
             */
            readonly per_block: number;
            /**
             * Pool
             * @description Prompts to choose from, the same for every run of every suite.
             */
            readonly pool: number;
        };
        /**
         * Hindrance
         * @description Why jobs that wait were not given to this node.
         */
        readonly Hindrance: {
            /**
             * Code
             * @description Stable. ``nothing_waits``: no approved job does; ``no_image``: the operator has set none for the suite;
             *     ``suite_gone``: this release does not publish it; ``pull_busy``: its pull request has enough jobs running;
             *     ``kept_for_another``: another node has evals of it and may go on; ``failed_here``: other nodes may try it first;
             *     ``owner_busy`` and ``address_busy``: the owner, or the address, has as many jobs as it may have. The rest: what the
             *     machine lacks, or its owner does not allow.
             * @enum {string}
             */
            readonly code: "gpu_count" | "nvlink" | "driver" | "suite_refused" | "image_refused" | "repository_refused" | "author_refused" | "too_long" | "nothing_waits" | "no_image" | "suite_gone" | "pull_busy" | "kept_for_another" | "failed_here" | "owner_busy" | "address_busy";
            /**
             * Detail
             * @description Of one of them, for a person.
             */
            readonly detail: string;
            /**
             * Jobs
             * @description How many of the jobs that were looked at.
             */
            readonly jobs: number;
        };
        /**
         * Imported
         * @description The bundle was made from another tool's result files; trust level 0.
         */
        readonly Imported: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "imported";
            /**
             * Tool
             * @enum {string}
             */
            readonly tool: "lm-eval" | "vllm-bench";
            /** Tool Version */
            readonly tool_version: string | "unknown";
        };
        /**
         * JobList
         * @description One page of jobs, newest first.
         */
        readonly JobList: {
            /** Items */
            readonly items: readonly components["schemas"]["JobRef"][];
            /**
             * Next Cursor
             * @description Null: this is the last page.
             */
            readonly next_cursor: string | null;
        };
        /**
         * JobPage
         * @description A job with its history.
         */
        readonly JobPage: {
            readonly job: components["schemas"]["JobRef"];
            /**
             * Leases
             * @description Oldest first.
             */
            readonly leases: readonly components["schemas"]["LeaseItem"][];
        };
        /**
         * JobRef
         * @description A job in short.
         */
        readonly JobRef: {
            /** Approved At */
            readonly approved_at: string | null;
            /** Approved By */
            readonly approved_by: string | null;
            /** Bundle Id */
            readonly bundle_id: string | null;
            /** Ended At */
            readonly ended_at: string | null;
            /**
             * Evals
             * @description All evals of the suite, in order.
             */
            readonly evals: readonly string[];
            /** Evals Done */
            readonly evals_done: readonly components["schemas"]["EvalDone"][];
            /**
             * Head Sha
             * @description The commit that was ordered; an approval is for no other.
             */
            readonly head_sha: string;
            /** Id */
            readonly id: string;
            /**
             * Image
             * @description The image it runs in, by digest; null: the operator has set none yet.
             */
            readonly image: string | null;
            /** Lease Until */
            readonly lease_until: string | null;
            readonly needs: components["schemas"]["Needs"];
            /**
             * Node Key Id
             * @description The node that has it now.
             */
            readonly node_key_id: string | null;
            /** Priority */
            readonly priority: number;
            /** Pull Number */
            readonly pull_number: number;
            /**
             * Reason
             * @description Why it waits, what it is doing, or why it ended, in a sentence.
             */
            readonly reason: string;
            /** Repository */
            readonly repository: string;
            /**
             * Requested At
             * Format: date-time
             */
            readonly requested_at: string;
            /** Requested By */
            readonly requested_by: string;
            /**
             * State
             * @description ``unapproved``: an authorised user has to approve the commit; ``queued``: a node may take it; ``leased``: one
             *     has it; ``done``: ``bundle_id`` came of it; ``cancelled``; ``stale``: the pull request moved on before it began;
             *     ``quarantined``: it failed on several nodes, somebody has to look; ``dead``: it was given up.
             * @enum {string}
             */
            readonly state: "unapproved" | "queued" | "leased" | "done" | "cancelled" | "stale" | "quarantined" | "dead";
            /**
             * Suite
             * @description ``id/version``.
             */
            readonly suite: string;
            /**
             * Tries
             * @description How often a node took it.
             */
            readonly tries: number;
        };
        /**
         * KernelNumerics
         * @description Each operator against its float64 reference, over shapes and input distributions.
         */
        readonly KernelNumerics: {
            /** Id */
            readonly id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "kernel_numerics";
            /** Time Limit S */
            readonly time_limit_s: number;
        };
        /**
         * KernelTime
         * @description One kernel of a step.
         */
        readonly KernelTime: {
            /**
             * Launches
             * @description In one step: usually once in each layer of its kind.
             */
            readonly launches: number;
            /** Name */
            readonly name: string;
            /**
             * Total Us
             * @description Of all its launches in one step, median over the steps.
             */
            readonly total_us: number;
        };
        /**
         * LeaseItem
         * @description One node's turn at a job.
         */
        readonly LeaseItem: {
            /**
             * Began At
             * Format: date-time
             */
            readonly began_at: string;
            /**
             * Bundle Id
             * @description What the node delivered. Of a lease that had ended before, it is evidence that this job does not count.
             */
            readonly bundle_id: string | null;
            /** Detail */
            readonly detail: string;
            /** Ended At */
            readonly ended_at: string | null;
            /** Image */
            readonly image: string;
            /** Node Key Id */
            readonly node_key_id: string;
            /**
             * Outcome
             * @description Null: it holds.
             */
            readonly outcome: ("finished" | "failed" | "interrupted" | "expired" | "cancelled" | "replaced") | null;
            /** Owner */
            readonly owner: string;
            /** Token */
            readonly token: number;
        };
        /**
         * LedgerBucket
         * @description Steps of one shape, by the path that ran them.
         */
        readonly LedgerBucket: {
            /**
             * Phase
             * @enum {string}
             */
            readonly phase: "prefill" | "decode" | "mixed";
            /** Reasons */
            readonly reasons: readonly components["schemas"]["ReasonCount"][];
            /**
             * Rows
             * @description Rows in the step: requests × tokens per request in pure decode, tokens in prefill.
             */
            readonly rows: number;
            /** Specialized Steps */
            readonly specialized_steps: number;
            /**
             * Speculation
             * @description Draft tokens verified in the step; 0 without speculation.
             */
            readonly speculation: number;
            /** Stock Steps */
            readonly stock_steps: number;
            /** Tokens Per Request */
            readonly tokens_per_request: number;
        };
        /**
         * Lifetime
         * @description Where a bundle stands as evidence for the present head.
         */
        readonly Lifetime: {
            /** Bundle Id */
            readonly bundle_id: string;
            /**
             * By
             * @description The bundle that supersedes it, or that proves its cells unchanged.
             */
            readonly by: string | null;
            /**
             * Inherited
             * @description Results that carry over; empty unless inherited.
             */
            readonly inherited: readonly components["schemas"]["CellName"][];
            /**
             * Reason
             * @description One sentence. May quote a person: escape before showing.
             */
            readonly reason: string;
            /**
             * Standing
             * @enum {string}
             */
            readonly standing: "current" | "inherited" | "stale" | "superseded" | "retracted" | "invalidated";
        };
        /**
         * Link
         * @description How two GPUs are joined.
         */
        readonly Link: {
            /** First */
            readonly first: number;
            /**
             * Kind
             * @description ``nvlink``, or NVML's name of the closest common ancestor.
             */
            readonly kind: string;
            /** Lanes */
            readonly lanes: number | "unknown";
            /** Second */
            readonly second: number;
        };
        /**
         * Manifest
         * @description Everything a bundle says. Its id is the SHA-256 of its canonical JSON.
         */
        readonly Manifest: {
            /** Arms */
            readonly arms: readonly components["schemas"]["Arm"][];
            /** Attempts */
            readonly attempts: readonly components["schemas"]["Attempt"][];
            /** @description None: the run chose its own prompts and order. */
            readonly challenge: components["schemas"]["Challenge"] | null;
            /** Environment */
            readonly environment: components["schemas"]["Environment"] | "unknown";
            /** Evals */
            readonly evals: readonly components["schemas"]["EvalRecord"][];
            /** Files */
            readonly files: readonly components["schemas"]["FileEntry"][];
            /**
             * Format
             * @constant
             */
            readonly format: "byogpu.bundle/1";
            /** Origin */
            readonly origin: components["schemas"]["Measured"] | components["schemas"]["Imported"];
            readonly producer: components["schemas"]["Producer"];
            readonly redaction: components["schemas"]["RedactionReceipt"];
            readonly subject: components["schemas"]["Subject"];
        };
        /**
         * Mark
         * @description A finding without its words: what is published of it may outlive the bundle, which the words may quote.
         */
        readonly Mark: {
            /**
             * Effect
             * @enum {string}
             */
            readonly effect: "invalidates" | "quarantines" | "blocks" | "limits" | "notes";
            /** Rule Id */
            readonly rule_id: string;
            /** Rule Version */
            readonly rule_version: number;
            /** Title */
            readonly title: string;
            /** Where */
            readonly where: string;
        };
        /**
         * Masked
         * @description One kind of secret that was masked before anything was serialised.
         */
        readonly Masked: {
            /** Count */
            readonly count: number;
            /** Kind */
            readonly kind: string;
            /** Where */
            readonly where: string;
        };
        /**
         * Measured
         * @description The bundle was measured by the worker.
         */
        readonly Measured: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "measured";
        };
        /**
         * MergePolicy
         * @description The policy of one repository. Kinds that it does not name need nothing but a supported claim.
         */
        readonly MergePolicy: {
            /**
             * @description None: nothing is audited.
             * @default null
             */
            readonly audits: components["schemas"]["Audits"] | null;
            /**
             * Holes
             * @description Most holes in the declared scope; None: any number.
             */
            readonly holes: number | null;
            /** Needs */
            readonly needs: readonly components["schemas"]["Need"][];
            /**
             * Version
             * @constant
             */
            readonly version: 1;
        };
        /**
         * MetricDefinition
         * @description One metric.
         */
        readonly MetricDefinition: {
            /**
             * Better
             * @enum {string}
             */
            readonly better: "lower" | "higher";
            /** Definition */
            readonly definition: string;
            /**
             * Kind
             * @enum {string}
             */
            readonly kind: "speed" | "accuracy" | "numerics";
            /**
             * Metric
             * @enum {string}
             */
            readonly metric: "step_latency_us" | "ttft_ms" | "tpot_ms" | "itl_ms" | "e2e_ms" | "output_tokens_per_s" | "requests_per_s" | "score" | "max_relative_error";
            /**
             * Phase
             * @description What part of a request the number covers; None: the cell says.
             */
            readonly phase: ("prefill" | "decode" | "mixed" | "request") | null;
            /**
             * Sample
             * @description What one sample is.
             * @enum {string}
             */
            readonly sample: "step" | "request" | "gap" | "block" | "document" | "case";
            /**
             * Statistic
             * @description What a cell's headline number is, over its samples.
             * @enum {string}
             */
            readonly statistic: "median" | "mean" | "maximum";
            /** Unit */
            readonly unit: string;
            /** Version */
            readonly version: number;
        };
        /**
         * MetricList
         * @description What every metric means.
         */
        readonly MetricList: {
            /** Items */
            readonly items: readonly components["schemas"]["MetricDefinition"][];
        };
        /**
         * MissingBlob
         * @description A blob the bundle lists and the server does not have whole.
         */
        readonly MissingBlob: {
            /** Sha256 */
            readonly sha256: string;
            /** Size Bytes */
            readonly size_bytes: number;
            readonly upload: components["schemas"]["UploadPlan"];
        };
        /**
         * NaturalAcceptance
         * @description ``natural``: drafts accepted by the model itself.
         */
        readonly NaturalAcceptance: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "natural";
        };
        /**
         * NaturalSpeculation
         * @description Drafts accepted by the model itself.
         */
        readonly NaturalSpeculation: {
            /** Drafts */
            readonly drafts: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "natural";
            /** Method */
            readonly method: string;
        };
        /**
         * Need
         * @description What claims of one kind need.
         */
        readonly Need: {
            /**
             * Evidence From
             * @enum {string}
             */
            readonly evidence_from: "anyone" | "others" | "project";
            /**
             * Inherited
             * @description Whether evidence may be carried over from an earlier commit with the same kernels.
             */
            readonly inherited: boolean;
            /**
             * Kind
             * @enum {string}
             */
            readonly kind: "speed" | "accuracy" | "numerics";
            /**
             * Trust
             * @description Lowest trust level of the bundle that decides.
             */
            readonly trust: number;
        };
        /**
         * Needs
         * @description What a machine must have for a job.
         */
        readonly Needs: {
            /**
             * Driver Version
             * @description The oldest driver that will do.
             * @default null
             */
            readonly driver_version: string | null;
            /**
             * Gpu Count
             * @default 0
             */
            readonly gpu_count: number;
            /**
             * Gpu Memory Bytes
             * @description Of each GPU.
             * @default 0
             */
            readonly gpu_memory_bytes: number;
            /**
             * Gpu Model
             * @description Words of the GPU's name, such as ``H200``; null: any.
             * @default null
             */
            readonly gpu_model: string | null;
            /**
             * Nvlink
             * @description Whether every two GPUs have to be joined by NVLink.
             * @default false
             */
            readonly nvlink: boolean;
        };
        /**
         * NextRun
         * @description What to run next.
         */
        readonly NextRun: {
            /** Cells */
            readonly cells: readonly string[];
            /**
             * Gpu Minutes
             * @description Minutes by GPUs; 0 on a machine without one. None: one of them is unknown.
             */
            readonly gpu_minutes: number | null;
            /**
             * Gpus
             * @description Of that class; None: unknown, or any number.
             */
            readonly gpus: number | null;
            /**
             * Hardware
             * @description What it has to run on; None: any machine that runs the suite.
             */
            readonly hardware: string | null;
            /**
             * Minutes
             * @description Estimated from the time that the last run took; None: nothing to estimate from.
             */
            readonly minutes: number | null;
            /**
             * Rounds
             * @description Repetitions of the eval's block order, from the measured spread; None: the suite's own number.
             */
            readonly rounds: number | null;
            /** Sentence */
            readonly sentence: string;
            /**
             * Suite
             * @description None: any suite with these cells.
             */
            readonly suite: string | null;
        };
        /**
         * NoAcceptance
         * @description ``none``: no speculation.
         */
        readonly NoAcceptance: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "none";
        };
        /**
         * NodeItem
         * @description A machine that asks for work, or did.
         */
        readonly NodeItem: {
            readonly capabilities: components["schemas"]["Capabilities"];
            readonly consent: components["schemas"]["Consent"];
            /**
             * Job Id
             * @description What it runs now.
             */
            readonly job_id: string | null;
            /**
             * Lately
             * @description Whether that is so short ago that it is counted on.
             */
            readonly lately: boolean;
            /** Node Key Id */
            readonly node_key_id: string;
            /** Owner */
            readonly owner: string;
            /**
             * Project
             * @description Whether the project runs it itself.
             */
            readonly project: boolean;
            /**
             * Seen At
             * Format: date-time
             * @description When it was last heard of.
             */
            readonly seen_at: string;
            /**
             * Skew S
             * @description How far its clock is ahead of the service's; negative: behind.
             */
            readonly skew_s: number;
        };
        /**
         * NodeList
         * @description One page of nodes, last heard of first.
         */
        readonly NodeList: {
            /** Items */
            readonly items: readonly components["schemas"]["NodeItem"][];
            /**
             * Next Cursor
             * @description Null: this is the last page.
             */
            readonly next_cursor: string | null;
        };
        /**
         * NodePost
         * @description Body of ``POST /api/v1/nodes``.
         */
        readonly NodePost: {
            /**
             * Owner
             * @description Whose machine it is; shown beside its bundles. Operators name it; null: the account that asks.
             * @default null
             */
            readonly owner: string | null;
            /**
             * Project
             * @description Whether the project runs it itself: its bundles reach trust level 4. For operators.
             * @default false
             */
            readonly project: boolean;
            /**
             * Proof
             * @description What `worker.bundle.registration.prove` returns: that who asks holds the key. Accounts need it.
             * @default null
             */
            readonly proof: string | null;
            /**
             * Public Key
             * @description The 32 raw bytes of an ed25519 public key in hexadecimal.
             */
            readonly public_key: string;
        };
        /**
         * NodeReceipt
         * @description A registered node.
         */
        readonly NodeReceipt: {
            /** Key Id */
            readonly key_id: string;
            /** Owner */
            readonly owner: string;
            /** Project */
            readonly project: boolean;
            /** Public Key */
            readonly public_key: string;
        };
        /**
         * NoiseFloor
         * @description What a comparison of the baseline with itself shows: differences below it mean nothing.
         */
        readonly NoiseFloor: {
            /**
             * Ratio
             * @description Above 1; the largest apparent change, either way, between halves of the baseline's own blocks.
             */
            readonly ratio: number;
            /** Splits */
            readonly splits: number;
        };
        /**
         * NoRegression
         * @description ``no regression within 3%``: not worse by more than that share of the baseline's value.
         *
         *     For scores the per cent are points: 3 % is 0.03.
         */
        readonly NoRegression: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "no_regression";
            /** Within */
            readonly within: number;
        };
        /**
         * NoSpeculation
         * @description One token per step and request.
         */
        readonly NoSpeculation: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "none";
        };
        /**
         * NumericsSummary
         * @description Operator cases of the candidate against their tolerances.
         */
        readonly NumericsSummary: {
            /** Cases */
            readonly cases: number;
            /** Outside Tolerance */
            readonly outside_tolerance: number;
            /**
             * Worst Case
             * @description Operator and case of the largest error by its tolerance.
             */
            readonly worst_case: string | null;
            /**
             * Worst Share
             * @description That error by its tolerance; above 1 is outside.
             */
            readonly worst_share: number | null;
        };
        /**
         * Offer
         * @description A node that asks for work.
         */
        readonly Offer: {
            readonly capabilities: components["schemas"]["Capabilities"];
            readonly consent: components["schemas"]["Consent"];
        };
        /**
         * OrderPost
         * @description Body of ``POST /api/v1/jobs``.
         */
        readonly OrderPost: {
            /**
             * Head Sha
             * @description The pull request's head as you have seen it; no other commit is run.
             */
            readonly head_sha: string;
            /**
             * Image
             * @description Null: the operator's image of the suite.
             * @default null
             */
            readonly image: string | null;
            /**
             * @default {
             *       "driver_version": null,
             *       "gpu_count": 0,
             *       "gpu_memory_bytes": 0,
             *       "gpu_model": null,
             *       "nvlink": false
             *     }
             */
            readonly needs: components["schemas"]["Needs"];
            /**
             * Priority
             * @default 0
             */
            readonly priority: number;
            /** Pull Number */
            readonly pull_number: number;
            /** Repository */
            readonly repository: string;
            /**
             * Suite
             * @description ``id``, or ``id/version``.
             */
            readonly suite: string;
        };
        /**
         * OutcomeCount
         * @description How many claims ended that way.
         */
        readonly OutcomeCount: {
            /** Count */
            readonly count: number;
            /**
             * Outcome
             * @enum {string}
             */
            readonly outcome: "supported" | "contradicted" | "inconclusive" | "no_evidence" | "not_comparable";
        };
        /**
         * OwnNode
         * @description A node of an account.
         */
        readonly OwnNode: {
            /** Key Id */
            readonly key_id: string;
            /** Owner */
            readonly owner: string;
            /** Project */
            readonly project: boolean;
            /** Public Key */
            readonly public_key: string;
            /**
             * Registered At
             * Format: date-time
             */
            readonly registered_at: string;
            /**
             * Revoked At
             * @description Bundles that were submitted before keep its signature, later ones do not have it.
             */
            readonly revoked_at: string | null;
        };
        /**
         * OwnNodeList
         * @description One page of an account's nodes, newest first.
         */
        readonly OwnNodeList: {
            /** Items */
            readonly items: readonly components["schemas"]["OwnNode"][];
            /** Next Cursor */
            readonly next_cursor: string | null;
        };
        /**
         * Package
         * @description One installed Python distribution.
         */
        readonly Package: {
            /** Name */
            readonly name: string;
            /**
             * Record Digest
             * @description SHA-256 of the distribution's RECORD file.
             */
            readonly record_digest: string | "unknown";
            /** Version */
            readonly version: string;
        };
        /**
         * Pairs
         * @description Documents answered by both arms, for 0/1 scores: who was right.
         */
        readonly Pairs: {
            /** Baseline Only */
            readonly baseline_only: number;
            /** Both */
            readonly both: number;
            /** Candidate Only */
            readonly candidate_only: number;
            /**
             * Mcnemar P
             * @description Exact two-sided probability of flips this lopsided if the arms were equally good.
             */
            readonly mcnemar_p: number;
            /** Neither */
            readonly neither: number;
        };
        /**
         * PartAddress
         * @description Where one part goes, and nothing else.
         */
        readonly PartAddress: {
            /**
             * Headers
             * @description To be sent along as they are.
             */
            readonly headers: {
                readonly [key: string]: string;
            };
            /** Number */
            readonly number: number;
            /**
             * Url
             * @description Where to ``PUT`` the part: absolute, or relative to the address of the request that was answered.
             */
            readonly url: string;
        };
        /**
         * PartAddresses
         * @description Where parts go. An address may expire: ask again.
         */
        readonly PartAddresses: {
            /** Parts */
            readonly parts: readonly components["schemas"]["PartAddress"][];
        };
        /**
         * PartAnnouncement
         * @description What a part will be.
         */
        readonly PartAnnouncement: {
            /** Number */
            readonly number: number;
            /** Sha256 */
            readonly sha256: string;
            /** Size Bytes */
            readonly size_bytes: number;
        };
        /**
         * PartPlan
         * @description One part of a blob to upload.
         */
        readonly PartPlan: {
            /** Number */
            readonly number: number;
            /**
             * Offset
             * @description First byte of the blob that the part holds.
             */
            readonly offset: number;
            /**
             * Received
             * @description It is here already; need not be sent again.
             */
            readonly received: boolean;
            /** Size Bytes */
            readonly size_bytes: number;
            /**
             * Url
             * @description Where to ``PUT`` the part through the service, relative to the address of the request that was answered.
             */
            readonly url: string;
        };
        /**
         * PartReceipt
         * @description A part that arrived whole.
         */
        readonly PartReceipt: {
            /** Number */
            readonly number: number;
            /** Sha256 */
            readonly sha256: string;
            /** Size Bytes */
            readonly size_bytes: number;
        };
        /**
         * PartsPost
         * @description Body of ``POST /api/v1/blobs/{sha256}/parts``.
         */
        readonly PartsPost: {
            /** Parts */
            readonly parts: readonly components["schemas"]["PartAnnouncement"][];
        };
        /**
         * PathFacts
         * @description What the ledgers of one eval say about both arms.
         */
        readonly PathFacts: {
            /** Eval Id */
            readonly eval_id: string;
            /**
             * Refusal
             * @description Why the candidate's decode steps did not run on the specialized path; None: the ledger gives no reason.
             */
            readonly refusal: string | null;
            /**
             * Same
             * @description Code, image, weights, resolved configuration and kernel digests agree and every step ran stock in both arms.
             */
            readonly same: boolean;
        };
        /**
         * PathLedger
         * @description Which decode path ran, and why the specialized one did not.
         */
        readonly PathLedger: {
            /** Buckets */
            readonly buckets: readonly components["schemas"]["LedgerBucket"][];
            /** Eval Id */
            readonly eval_id: string;
            /**
             * Kernel Digests
             * @description Cubins launched, sorted.
             */
            readonly kernel_digests: readonly string[];
        };
        /**
         * PathShare
         * @description Decode steps behind a cell, by the path that ran them.
         */
        readonly PathShare: {
            /**
             * Lowest Share
             * @description Smallest share of specialized steps in any one bucket, 0 to 1.
             */
            readonly lowest_share: number;
            /**
             * Reasons
             * @description Why steps ran stock, most frequent first. A step with several reasons counts under each.
             */
            readonly reasons: readonly components["schemas"]["ReasonCount"][];
            /** Specialized Steps */
            readonly specialized_steps: number;
            /** Stock Steps */
            readonly stock_steps: number;
        };
        /**
         * PhysicsBound
         * @description The least time of a cell's step, and how far the measured one is from it.
         */
        readonly PhysicsBound: {
            /**
             * Headroom
             * @description 1 - least / measured: the share of the step that a perfect program could save; below 0: faster than possible.
             */
            readonly headroom: number;
            /** Least Us */
            readonly least_us: number;
            /**
             * Limited By
             * @description ``memory``, ``arithmetic`` or ``links``.
             */
            readonly limited_by: string;
        };
        /**
         * Placement
         * @description Where a bundle stands among the runs of others.
         */
        readonly Placement: {
            /** Bundle Id */
            readonly bundle_id: string;
            /**
             * Quorum
             * @description Independent parties that must reproduce it for level 3.
             */
            readonly quorum: number;
            /**
             * Reproduced
             * @description Independent parties that did.
             */
            readonly reproduced: number;
            readonly trust: components["schemas"]["TrustLevel"];
            /**
             * Witnesses
             * @description Runs of independent parties, oldest first; a party may have several.
             */
            readonly witnesses: readonly components["schemas"]["Witness"][];
        };
        /**
         * Problem
         * @description An error, as RFC 9457 describes one.
         */
        readonly Problem: {
            /** Code */
            readonly code: string;
            /** Detail */
            readonly detail: string;
            /** Status */
            readonly status: number;
            /** Title */
            readonly title: string;
            /**
             * Type
             * @example urn:byogpu:error:bundle_incomplete
             */
            readonly type: string;
        } & {
            readonly [key: string]: unknown;
        };
        /**
         * Producer
         * @description Who wrote the bundle and when.
         */
        readonly Producer: {
            /**
             * Duration S
             * @description Monotonic.
             */
            readonly duration_s: number | "unknown";
            /** Ended At */
            readonly ended_at: string | "unknown";
            /** Image Digest */
            readonly image_digest: string | "unknown";
            /**
             * Node Key Id
             * @description Key id of the node's ed25519 key, as securesystemslib derives it.
             */
            readonly node_key_id: string | "unknown";
            /** Started At */
            readonly started_at: string | "unknown";
            /** Worker Version */
            readonly worker_version: string;
        };
        /**
         * ProgressPost
         * @description Body of ``POST /api/v1/jobs/{job_id}/progress``.
         */
        readonly ProgressPost: {
            /**
             * Done
             * @description Every eval that is done so far.
             */
            readonly done: readonly components["schemas"]["EvalDone"][];
            /** Node Key Id */
            readonly node_key_id: string;
            /** Token */
            readonly token: number;
        };
        /**
         * PullItem
         * @description A pull request in a list.
         */
        readonly PullItem: {
            /**
             * Bundles
             * @description Bundles about it, stale ones included.
             */
            readonly bundles: number;
            /** @description Null: there is nothing to say on GitHub. */
            readonly check: components["schemas"]["CheckState"] | null;
            /**
             * Outcomes
             * @description Empty: nothing is claimed, or nothing is judged yet.
             */
            readonly outcomes: readonly components["schemas"]["OutcomeCount"][];
            readonly pull: components["schemas"]["PullRef"];
        };
        /**
         * PullKeyItem
         * @description A pull request's key as it is listed.
         */
        readonly PullKeyItem: {
            /**
             * Created At
             * Format: date-time
             */
            readonly created_at: string;
            /**
             * Expires At
             * Format: date-time
             */
            readonly expires_at: string;
            /**
             * Head Sha
             * @description The one commit that it uploads bundles about.
             */
            readonly head_sha: string;
            /** Id */
            readonly id: string;
            /**
             * Issued By
             * @description Null: the operator.
             */
            readonly issued_by: string | null;
            /**
             * Prefix
             * @description How the key begins.
             */
            readonly prefix: string;
            /** Pull Number */
            readonly pull_number: number;
            /** Repository */
            readonly repository: string;
            /** Repository Id */
            readonly repository_id: number;
            /** Revoked At */
            readonly revoked_at: string | null;
            /** Used At */
            readonly used_at: string | null;
        };
        /**
         * PullKeyList
         * @description One page of keys, newest first.
         */
        readonly PullKeyList: {
            /** Items */
            readonly items: readonly components["schemas"]["PullKeyItem"][];
            /** Next Cursor */
            readonly next_cursor: string | null;
        };
        /**
         * PullKeyReceipt
         * @description A new key, told once.
         */
        readonly PullKeyReceipt: {
            /**
             * Created At
             * Format: date-time
             */
            readonly created_at: string;
            /**
             * Expires At
             * Format: date-time
             */
            readonly expires_at: string;
            /**
             * Head Sha
             * @description The one commit that it uploads bundles about.
             */
            readonly head_sha: string;
            /** Id */
            readonly id: string;
            /**
             * Issued By
             * @description Null: the operator.
             */
            readonly issued_by: string | null;
            /** Key */
            readonly key: string;
            /**
             * Prefix
             * @description How the key begins.
             */
            readonly prefix: string;
            /** Pull Number */
            readonly pull_number: number;
            /** Repository */
            readonly repository: string;
            /** Repository Id */
            readonly repository_id: number;
            /** Revoked At */
            readonly revoked_at: string | null;
            /** Used At */
            readonly used_at: string | null;
        };
        /**
         * PullList
         * @description One page of pull requests, the last touched first.
         */
        readonly PullList: {
            /** Items */
            readonly items: readonly components["schemas"]["PullItem"][];
            /**
             * Next Cursor
             * @description Null: this is the last page.
             */
            readonly next_cursor: string | null;
        };
        /**
         * PullPage
         * @description A pull request: claims, their verdicts, and the evidence behind them.
         */
        readonly PullPage: {
            /** @description All of them, counted. */
            readonly challenge_tally: components["schemas"]["ChallengeTally"];
            /**
             * Challenges
             * @description Newest first, the unused ones too: a run that was begun and never handed in is seen here.
             */
            readonly challenges: readonly components["schemas"]["ChallengeRef"][];
            readonly check: components["schemas"]["CheckState"] | null;
            /**
             * Claim Errors
             * @description What is wrong with the claims block; then there are no claims.
             */
            readonly claim_errors: readonly components["schemas"]["ClaimError"][];
            /** Claims */
            readonly claims: readonly components["schemas"]["Claim"][];
            /**
             * Claims From
             * @description Where the claims stand; null: nothing is claimed.
             */
            readonly claims_from: ("description" | "api") | null;
            /**
             * Evidence
             * @description Newest first.
             */
            readonly evidence: readonly components["schemas"]["EvidenceItem"][];
            /** Judged At */
            readonly judged_at: string | null;
            /**
             * Judged Head Sha
             * @description The commit the verdicts are about; differs from ``pull.head_sha`` while a new commit waits for judgement.
             */
            readonly judged_head_sha: string | null;
            /** @description What the repository asks of its evidence. */
            readonly policy: components["schemas"]["MergePolicy"];
            readonly pull: components["schemas"]["PullRef"];
            /** @description What to measure again to make the evidence whole; null while not judged. */
            readonly rerun: components["schemas"]["RerunPlan"] | null;
            /** @description The declared scope with what there is to show for each of its cells; null: none is declared, or not judged. */
            readonly scope: components["schemas"]["ScopeMap"] | null;
            /**
             * Shortfalls
             * @description What the policy asks for and the evidence does not have; the check does not succeed with any.
             */
            readonly shortfalls: readonly components["schemas"]["Shortfall"][];
            /**
             * Verdicts
             * @description One a claim, in the order of the claims; empty while not judged.
             */
            readonly verdicts: readonly components["schemas"]["Verdict"][];
            /**
             * Waivers
             * @description What maintainers let pass at the present head.
             */
            readonly waivers: readonly components["schemas"]["Waiver"][];
        };
        /**
         * PullRef
         * @description A pull request in short.
         */
        readonly PullRef: {
            /**
             * Author
             * @description Null: the account is gone.
             */
            readonly author: string | null;
            /** Base Sha */
            readonly base_sha: string;
            /** Draft */
            readonly draft: boolean;
            /** Github Url */
            readonly github_url: string;
            /** Head Sha */
            readonly head_sha: string;
            /** Merged */
            readonly merged: boolean;
            /** Number */
            readonly number: number;
            /** Repository */
            readonly repository: string;
            /** Repository Id */
            readonly repository_id: number;
            /**
             * Seen At
             * Format: date-time
             * @description When GitHub last told about it.
             */
            readonly seen_at: string;
            /**
             * State
             * @enum {string}
             */
            readonly state: "open" | "closed";
            /** Title */
            readonly title: string;
            /**
             * Url
             * @description Its page here.
             */
            readonly url: string;
        };
        /**
         * Quantile
         * @description One point of an estimate's distribution: a share ``p`` of it lies at or below ``value``.
         */
        readonly Quantile: {
            /** P */
            readonly p: number;
            /** Value */
            readonly value: number;
        };
        /**
         * Readiness
         * @description Whether each part the service needs works.
         */
        readonly Readiness: {
            /**
             * Database
             * @enum {string}
             */
            readonly database: "ok" | "down";
            /**
             * Draining
             * @description Whether the process was told to stop: it answers what it is asked, and wants no more.
             */
            readonly draining: boolean;
            /**
             * Queue
             * @description Embedded: the task thread lives. Otherwise: the broker answers.
             * @enum {string}
             */
            readonly queue: "ok" | "down";
            /** Ready */
            readonly ready: boolean;
            /**
             * Storage
             * @enum {string}
             */
            readonly storage: "ok" | "down";
            /** Tasks Dead */
            readonly tasks_dead: number;
            /** Tasks Waiting */
            readonly tasks_waiting: number;
        };
        /**
         * ReasonCount
         * @description How often one reason kept a step on the stock path.
         */
        readonly ReasonCount: {
            /** Reason */
            readonly reason: string;
            /** Steps */
            readonly steps: number;
        };
        /**
         * Reconciliation
         * @description A step's time against the sum of its parts.
         */
        readonly Reconciliation: {
            /**
             * Explained
             * @description Whether the kernels fit into the step, and fill it together with the gaps, within `TOLERANCE`.
             */
            readonly explained: boolean;
            /** Gaps Us */
            readonly gaps_us: number;
            /**
             * Kernels
             * @description At most `MAX_KERNELS`; empty in records stored before they were listed.
             * @default []
             */
            readonly kernels: readonly components["schemas"]["KernelTime"][];
            /**
             * Kernels Us
             * @description Of the step whose kernels and gaps together take the median time; of an even number, the two in the middle.
             */
            readonly kernels_us: number;
            /** Residual Share */
            readonly residual_share: number;
            /**
             * Residual Us
             * @description What kernels and gaps do not explain; below 0: they take longer than the step, as gaps do under a tracer.
             */
            readonly residual_us: number;
            /**
             * Step Us
             * @description Median of the timed steps of the blocks whose kernels were timed.
             */
            readonly step_us: number;
        };
        /**
         * RedactionReceipt
         * @description What the worker masked, and with which rules.
         */
        readonly RedactionReceipt: {
            /** Masked */
            readonly masked: readonly components["schemas"]["Masked"][];
            /** Rules Version */
            readonly rules_version: number;
        };
        /**
         * Rejudgement
         * @description A bundle judged twice.
         */
        readonly Rejudgement: {
            /**
             * Appeared
             * @description Findings that only the later judgement has; one whose rule has a new version and finds the same is in neither.
             */
            readonly appeared: readonly components["schemas"]["Mark"][];
            /** Bundle Id */
            readonly bundle_id: string;
            /**
             * Gone
             * @description Findings that only the earlier judgement had.
             */
            readonly gone: readonly components["schemas"]["Mark"][];
            /** Thresholds After */
            readonly thresholds_after: number;
            /** Thresholds Before */
            readonly thresholds_before: number;
            /** Trust After */
            readonly trust_after: number;
            /** Trust Before */
            readonly trust_before: number;
            /**
             * Validity After
             * @enum {string}
             */
            readonly validity_after: "valid" | "invalid" | "quarantined";
            /**
             * Validity Before
             * @enum {string}
             */
            readonly validity_before: "valid" | "invalid" | "quarantined";
        };
        /**
         * Rerun
         * @description One suite to run again on one class of machine.
         */
        readonly Rerun: {
            /** Cells */
            readonly cells: readonly string[];
            /** Evals */
            readonly evals: readonly string[];
            /**
             * Gpu Minutes
             * @description Minutes by GPUs; 0 on a machine without one.
             */
            readonly gpu_minutes: number | null;
            /** Hardware */
            readonly hardware: string | "unknown";
            /**
             * Minutes
             * @description From what the same cells took; None: the stale bundle does not tell.
             */
            readonly minutes: number | null;
            /**
             * Replaces
             * @description The stale bundle.
             */
            readonly replaces: string;
            /** Sentence */
            readonly sentence: string;
            /**
             * Suite
             * @description None: the stale bundle ran no published suite; any suite with these cells will do.
             */
            readonly suite: string | null;
        };
        /**
         * RerunPlan
         * @description Everything that is stale and not measured again yet.
         */
        readonly RerunPlan: {
            /**
             * Gpu Minutes
             * @description Of all runs; None: one of them is unknown.
             */
            readonly gpu_minutes: number | null;
            /** Runs */
            readonly runs: readonly components["schemas"]["Rerun"][];
        };
        /**
         * RevalidationItem
         * @description A bundle that was judged again because rules or limits changed.
         */
        readonly RevalidationItem: {
            /**
             * At
             * Format: date-time
             */
            readonly at: string;
            /** Bundle Id */
            readonly bundle_id: string;
            /**
             * Changed
             * @description Whether findings, validity or trust differ.
             */
            readonly changed: boolean;
            /** @description Null: the earlier judgement cannot be read any more. */
            readonly difference: components["schemas"]["Rejudgement"] | null;
            /** Edition After */
            readonly edition_after: string;
            /**
             * Edition Before
             * @description Digest of the versions of rules and limits; empty: judged by a release that kept none.
             */
            readonly edition_before: string;
            /** Id */
            readonly id: number;
        };
        /**
         * RevalidationList
         * @description One page of the log, newest first.
         */
        readonly RevalidationList: {
            /** Items */
            readonly items: readonly components["schemas"]["RevalidationItem"][];
            /**
             * Next Cursor
             * @description Null: this is the last page.
             */
            readonly next_cursor: string | null;
        };
        /**
         * RevalidationReceipt
         * @description What was asked for.
         */
        readonly RevalidationReceipt: {
            /**
             * Outdated
             * @description Bundles judged by other rules or limits than the present ones; each will be judged again.
             */
            readonly outdated: number;
        };
        /**
         * RolePut
         * @description Body of ``PUT /api/v1/accounts/{account_id}/role``.
         */
        readonly RolePut: {
            /**
             * Role
             * @enum {string}
             */
            readonly role: "contributor" | "maintainer" | "admin";
        };
        /**
         * RuleCount
         * @description How often a rule of one version found something.
         */
        readonly RuleCount: {
            /** Count */
            readonly count: number;
            /** Rule Id */
            readonly rule_id: string;
            /** Rule Version */
            readonly rule_version: number;
        };
        /**
         * RuleItem
         * @description A rule of the registry.
         */
        readonly RuleItem: {
            /** Bears On */
            readonly bears_on: readonly ("speed" | "accuracy" | "numerics")[];
            /**
             * Effect
             * @enum {string}
             */
            readonly effect: "invalidates" | "quarantines" | "blocks" | "limits" | "notes";
            /**
             * Family
             * @enum {string}
             */
            readonly family: "B" | "S" | "E" | "P" | "M" | "A" | "C" | "X";
            /** Family Title */
            readonly family_title: string;
            /** Hint */
            readonly hint: string;
            /** Id */
            readonly id: string;
            /**
             * Severity
             * @enum {string}
             */
            readonly severity: "error" | "warning" | "info";
            /** Title */
            readonly title: string;
            /** Version */
            readonly version: number;
            /** Why */
            readonly why: string;
        };
        /**
         * RuleList
         * @description Every rule, by id.
         */
        readonly RuleList: {
            /** Items */
            readonly items: readonly components["schemas"]["RuleItem"][];
        };
        /**
         * RulingPost
         * @description Body of every decision.
         */
        readonly RulingPost: {
            /**
             * Reason
             * @description Shown to everybody, for good.
             */
            readonly reason: string;
        };
        /**
         * RulingReceipt
         * @description A decision about a bundle, and where that leaves it.
         */
        readonly RulingReceipt: {
            /** Bundle Id */
            readonly bundle_id: string;
            /**
             * Kind
             * @enum {string}
             */
            readonly kind: "retracted" | "invalidated" | "released" | "retired";
            /**
             * Reason
             * @description Of the decision that stands: a repeated request changes nothing.
             */
            readonly reason: string;
            /**
             * Validation State
             * @enum {string}
             */
            readonly validation_state: "pending" | "running" | "valid" | "invalid" | "quarantined" | "error";
        };
        /**
         * RulingRef
         * @description One decision about a bundle.
         */
        readonly RulingRef: {
            /**
             * At
             * Format: date-time
             */
            readonly at: string;
            /**
             * Kind
             * @description ``retracted``: contents are gone; ``invalidated``: shown, and counts for nothing; ``released``: suspicions were
             *     looked at and lifted; ``retired``: contents were not kept any longer.
             * @enum {string}
             */
            readonly kind: "retracted" | "invalidated" | "released" | "retired";
            /**
             * Reason
             * @description In the operator's words, or the retention policy's.
             */
            readonly reason: string;
            /** @description Null: it stands. Only an invalidation can be taken back. */
            readonly undone: components["schemas"]["Undone"] | null;
        };
        /**
         * SampleFloor
         * @description Fewest samples for each percentile; below it the percentile is not stated.
         */
        readonly SampleFloor: {
            /** P50 */
            readonly p50: number;
            /** P90 */
            readonly p90: number;
            /** P99 */
            readonly p99: number;
        };
        /**
         * SamplesAgree
         * @description Whether two sets of sampled tokens come from one distribution.
         */
        readonly SamplesAgree: {
            /** Categories */
            readonly categories: number;
            /**
             * P Value
             * @description Probability of a difference this large if the distributions are the same.
             */
            readonly p_value: number;
            /**
             * Statistic
             * @description G, twice the log-likelihood ratio.
             */
            readonly statistic: number;
        };
        /**
         * Scope
         * @description Where a change is said to hold: every combination of the listed values is a cell that needs evidence.
         *
         *     None: the author does not say, so any value counts.
         */
        readonly Scope: {
            /** Batch */
            readonly batch: readonly number[] | null;
            /** Context */
            readonly context: readonly number[] | null;
            /** Dcp */
            readonly dcp: readonly number[] | null;
            /**
             * Features
             * @description Features that keep working, each shown by an accuracy task of that name.
             */
            readonly features: readonly string[] | null;
            /**
             * Line
             * @description Line of the pull request's text on which it begins.
             */
            readonly line: number;
            /** Speculation */
            readonly speculation: readonly ("none" | "natural" | "synthetic")[] | null;
            /** Tp */
            readonly tp: readonly number[] | null;
        };
        /**
         * ScopeCell
         * @description One combination of the declared values; None: any value of that axis.
         */
        readonly ScopeCell: {
            /** Batch */
            readonly batch: number | null;
            /** Context */
            readonly context: number | null;
            readonly correctness: components["schemas"]["Aspect"];
            /** Dcp */
            readonly dcp: number | null;
            /** @description Of the candidate's decode step here: how far it is from the least time; None: not timed, or no bound is known. */
            readonly headroom: components["schemas"]["PhysicsBound"] | null;
            /**
             * Holes
             * @description Aspects that are missing or speak against the change.
             */
            readonly holes: readonly ("performance" | "correctness" | "path")[];
            readonly path: components["schemas"]["Aspect"];
            readonly performance: components["schemas"]["Aspect"];
            /** Speculation */
            readonly speculation: ("none" | "natural" | "synthetic") | null;
            /** Tp */
            readonly tp: number | null;
        };
        /**
         * ScopeFeature
         * @description One declared feature.
         */
        readonly ScopeFeature: {
            readonly evidence: components["schemas"]["Aspect"];
            /** Feature */
            readonly feature: string;
        };
        /**
         * ScopeMap
         * @description The declared scope, filled in.
         */
        readonly ScopeMap: {
            /** Cells */
            readonly cells: readonly components["schemas"]["ScopeCell"][];
            /** Features */
            readonly features: readonly components["schemas"]["ScopeFeature"][];
            /**
             * Holes
             * @description One sentence for each hole, in the order of cells: what a policy of "no hole in the declared scope" counts.
             */
            readonly holes: readonly string[];
        };
        /**
         * ServiceKey
         * @description The key that signs jobs. Compare it with what the operator publishes before an agent trusts it.
         */
        readonly ServiceKey: {
            /** Key Id */
            readonly key_id: string;
            /** Public Key */
            readonly public_key: string;
        };
        /**
         * Serving
         * @description Load on the OpenAI-compatible server, per-request token times.
         */
        readonly Serving: {
            /** Block Order */
            readonly block_order: readonly ("baseline" | "candidate")[];
            /** Concurrency */
            readonly concurrency: readonly number[];
            readonly hidden_slice?: components["schemas"]["HiddenSlice"] | null;
            /** Id */
            readonly id: string;
            /** Input Tokens */
            readonly input_tokens: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "serving";
            /** Output Tokens */
            readonly output_tokens: number;
            /** Requests Per Block */
            readonly requests_per_block: number;
            /** Rounds */
            readonly rounds: number;
            /** Time Limit S */
            readonly time_limit_s: number;
        };
        /**
         * SessionPage
         * @description Who asks, and what they may do.
         */
        readonly SessionPage: {
            readonly account: components["schemas"]["AccountRef"] | null;
            /**
             * Csrf Token
             * @description A page of ours sends it as ``X-CSRF-Token`` with what changes something; null: no cookie came along.
             */
            readonly csrf_token: string | null;
            /**
             * Kind
             * @enum {string}
             */
            readonly kind: "anonymous" | "account" | "node" | "pull_key" | "actions" | "operator";
            /** Scopes */
            readonly scopes: readonly ("bundles:write" | "challenges:write" | "jobs:work" | "jobs:request" | "nodes:write" | "admin")[];
            /**
             * Sign In
             * @description Where to sign in; null: nobody can.
             */
            readonly sign_in: string | null;
        };
        /**
         * Shortfall
         * @description One thing that a policy asks for and the evidence does not have.
         */
        readonly Shortfall: {
            /**
             * Claim Id
             * @description None: it is about the whole pull request.
             */
            readonly claim_id: string | null;
            /**
             * Sentence
             * @description May quote names of people: escape before showing.
             */
            readonly sentence: string;
        };
        /**
         * Skipped
         * @description The eval could not run on this machine.
         */
        readonly Skipped: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly outcome: "skipped";
            /** Reason */
            readonly reason: string;
        };
        /**
         * SliceScore
         * @description One arm's answers to the prompts of the hidden slice that rode inside its timed requests.
         */
        readonly SliceScore: {
            /**
             * Arm
             * @enum {string}
             */
            readonly arm: "baseline" | "candidate";
            /**
             * Known
             * @description Requests whose right answer is known.
             */
            readonly known: number;
            /** Right */
            readonly right: number;
        };
        /**
         * Status
         * @description How the service does, without anything that is not everybody's business.
         */
        readonly Status: {
            /**
             * At
             * Format: date-time
             */
            readonly at: string;
            /**
             * Checks Waiting
             * @description Checks that are not on GitHub yet.
             */
            readonly checks_waiting: number;
            /** Jobs Running */
            readonly jobs_running: number;
            /**
             * Jobs Waiting
             * @description Approved orders that no node has taken.
             */
            readonly jobs_waiting: number;
            /**
             * Nodes
             * @description Nodes that asked for work within ten minutes.
             */
            readonly nodes: number;
            /**
             * Oldest Waiting S
             * @description How long the oldest of them has waited.
             */
            readonly oldest_waiting_s: number;
            /**
             * Tasks Waiting
             * @description Tasks that could run now.
             */
            readonly tasks_waiting: number;
            /**
             * Troubles
             * @description What is missing or late, the widest first; empty: nothing.
             */
            readonly troubles: readonly components["schemas"]["Trouble"][];
            /**
             * Uploads Open
             * @description Bundles that are being uploaded.
             */
            readonly uploads_open: number;
        };
        /**
         * StreamFacts
         * @description Token streams of both arms in one eval.
         */
        readonly StreamFacts: {
            /** Eval Id */
            readonly eval_id: string;
            /** @description None: no prompt has a greedy continuation in both arms. */
            readonly greedy: components["schemas"]["StreamSummary"] | null;
            /** @description First tokens of sampled continuations; None: not drawn in both arms. */
            readonly sampled: components["schemas"]["SamplesAgree"] | null;
        };
        /**
         * Streams
         * @description Continuations with log-probabilities that each arm gives besides its answers.
         */
        readonly Streams: {
            /**
             * Draws
             * @description Sampled continuations of each prompt, one token long, at temperature 1.
             */
            readonly draws: number;
            /** Input Tokens */
            readonly input_tokens: number;
            /**
             * Output Tokens
             * @description Of each greedy continuation.
             */
            readonly output_tokens: number;
            /** Prompts */
            readonly prompts: number;
            /**
             * Top
             * @description Likeliest tokens reported at each position.
             */
            readonly top: number;
        };
        /**
         * StreamSummary
         * @description Many pairs of greedy streams.
         */
        readonly StreamSummary: {
            /**
             * Confident
             * @description Pairs that part where the baseline was sure: each of them is an error, or another model.
             */
            readonly confident: number;
            /** Equal */
            readonly equal: number;
            /**
             * First Position
             * @description Earliest position at which any pair parts.
             */
            readonly first_position: number | null;
            /** Near Ties */
            readonly near_ties: number;
            /** Pairs */
            readonly pairs: number;
            /** Unknown */
            readonly unknown: number;
        };
        /**
         * Subject
         * @description What the bundle is evidence about. An import that does not know says ``unknown``.
         */
        readonly Subject: {
            /** Base Sha */
            readonly base_sha: string | "unknown";
            /** Claim Ids */
            readonly claim_ids: readonly string[];
            /** Head Sha */
            readonly head_sha: string | "unknown";
            /** Pull Number */
            readonly pull_number: number | null;
            /** Repository */
            readonly repository: string | "unknown";
            /**
             * Repository Id
             * @description GitHub's numeric id: a renamed or look-alike repository cannot borrow it.
             */
            readonly repository_id: number | "unknown";
            /** @description None for imports: no suite of ours was run. */
            readonly suite: components["schemas"]["SuiteRef"] | null;
        };
        /**
         * Suite
         * @description A suite: what is run, how much of it, and how little is too little.
         */
        readonly Suite: {
            /** Evals */
            readonly evals: readonly (components["schemas"]["KernelNumerics"] | components["schemas"]["DecodeStep"] | components["schemas"]["Serving"] | components["schemas"]["Accuracy"])[];
            /** Id */
            readonly id: string;
            readonly sample_floor: components["schemas"]["SampleFloor"];
            /**
             * Subject Config
             * @description Model configuration the bundled engine is started with.
             */
            readonly subject_config: string;
            /** Title */
            readonly title: string;
            /** Version */
            readonly version: number;
        };
        /**
         * SuiteItem
         * @description A published suite.
         */
        readonly SuiteItem: {
            /** Digest */
            readonly digest: string;
            readonly suite: components["schemas"]["Suite"];
        };
        /**
         * SuiteList
         * @description Every published suite.
         */
        readonly SuiteList: {
            /** Items */
            readonly items: readonly components["schemas"]["SuiteItem"][];
        };
        /**
         * SuiteRef
         * @description The suite that was run, by digest.
         */
        readonly SuiteRef: {
            /** Digest */
            readonly digest: string;
            /** Id */
            readonly id: string;
            /** Version */
            readonly version: number;
        };
        /**
         * SyntheticAcceptance
         * @description ``synthetic 6``: acceptance simulated at that length.
         */
        readonly SyntheticAcceptance: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "synthetic";
            /** Length */
            readonly length: number;
        };
        /**
         * SyntheticSpeculation
         * @description Acceptance simulated at a set length: a speed figure, never an accuracy one.
         */
        readonly SyntheticSpeculation: {
            /** Acceptance Length */
            readonly acceptance_length: number;
            /** Drafts */
            readonly drafts: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "synthetic";
            /** Method */
            readonly method: string;
        };
        /**
         * TimedOut
         * @description The eval ran past its budget.
         */
        readonly TimedOut: {
            /** Limit S */
            readonly limit_s: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly outcome: "timed_out";
        };
        /**
         * TokenItem
         * @description A token as it is listed.
         */
        readonly TokenItem: {
            /**
             * Created At
             * Format: date-time
             */
            readonly created_at: string;
            /**
             * Expires At
             * Format: date-time
             */
            readonly expires_at: string;
            /** Id */
            readonly id: string;
            /** Name */
            readonly name: string;
            /** Node Key Id */
            readonly node_key_id: string | null;
            /**
             * Prefix
             * @description How the token begins.
             */
            readonly prefix: string;
            /** Revoked At */
            readonly revoked_at: string | null;
            /** Scopes */
            readonly scopes: readonly ("bundles:write" | "challenges:write" | "jobs:work" | "jobs:request" | "nodes:write" | "admin")[];
            /**
             * Used At
             * @description To the minute.
             */
            readonly used_at: string | null;
        };
        /**
         * TokenList
         * @description One page of tokens, newest first.
         */
        readonly TokenList: {
            /** Items */
            readonly items: readonly components["schemas"]["TokenItem"][];
            /** Next Cursor */
            readonly next_cursor: string | null;
        };
        /**
         * TokenPost
         * @description Body of ``POST /api/v1/tokens``.
         */
        readonly TokenPost: {
            /** Expires In Days */
            readonly expires_in_days: number;
            /**
             * Name
             * @description For whoever reads the list later.
             */
            readonly name: string;
            /**
             * Node Key Id
             * @description A node of yours: the token then speaks for it, and ends when its key is revoked.
             * @default null
             */
            readonly node_key_id: string | null;
            /** Scopes */
            readonly scopes: readonly ("bundles:write" | "challenges:write" | "jobs:work" | "jobs:request" | "nodes:write" | "admin")[];
        };
        /**
         * TokenReceipt
         * @description A new token, told once.
         */
        readonly TokenReceipt: {
            /**
             * Created At
             * Format: date-time
             */
            readonly created_at: string;
            /**
             * Expires At
             * Format: date-time
             */
            readonly expires_at: string;
            /** Id */
            readonly id: string;
            /** Name */
            readonly name: string;
            /** Node Key Id */
            readonly node_key_id: string | null;
            /**
             * Prefix
             * @description How the token begins.
             */
            readonly prefix: string;
            /** Revoked At */
            readonly revoked_at: string | null;
            /** Scopes */
            readonly scopes: readonly ("bundles:write" | "challenges:write" | "jobs:work" | "jobs:request" | "nodes:write" | "admin")[];
            /** Token */
            readonly token: string;
            /**
             * Used At
             * @description To the minute.
             */
            readonly used_at: string | null;
        };
        /**
         * Tombstone
         * @description What is kept of a retracted or retired bundle: digests and what was made of it, nothing that it said itself.
         */
        readonly Tombstone: {
            /**
             * Blobs
             * @description Digests of its files. A file that another bundle lists as well is still there.
             */
            readonly blobs: readonly string[];
            /** Bundle Id */
            readonly bundle_id: string;
            /** Findings */
            readonly findings: readonly components["schemas"]["RuleCount"][];
            /** Size Bytes */
            readonly size_bytes: number;
            /** Trust Level */
            readonly trust_level: number | null;
            /**
             * Validation State
             * @enum {string}
             */
            readonly validation_state: "pending" | "running" | "valid" | "invalid" | "quarantined" | "error";
            /**
             * Verdicts
             * @description Verdicts it decided when it was retracted; they were made again without it.
             */
            readonly verdicts: readonly components["schemas"]["ClaimOutcome"][];
        };
        /**
         * Trouble
         * @description Something that people rightly expect and do not get, or not yet.
         */
        readonly Trouble: {
            /**
             * Code
             * @enum {string}
             */
            readonly code: "github_failing" | "github_quiet" | "tasks_dead" | "tasks_late" | "checks_dead" | "checks_late" | "commands_dead" | "jobs_without_nodes" | "jobs_given_up";
            /**
             * Count
             * @description Of how many things; 1: of the whole service.
             */
            readonly count: number;
            /**
             * Sentence
             * @description For a person.
             */
            readonly sentence: string;
            /**
             * Since S
             * @description For how long; null: it does not pass by waiting.
             */
            readonly since_s: number | null;
        };
        /**
         * TrustLevel
         * @description A level and the sentence that explains it.
         */
        readonly TrustLevel: {
            /** Level */
            readonly level: number;
            /** Name */
            readonly name: string;
            /** Reason */
            readonly reason: string;
        };
        /**
         * Undone
         * @description That an operator took a decision back.
         */
        readonly Undone: {
            /**
             * At
             * Format: date-time
             */
            readonly at: string;
            /**
             * Reason
             * @description In the operator's words.
             */
            readonly reason: string;
        };
        /**
         * UploadPlan
         * @description How a blob is cut into parts.
         */
        readonly UploadPlan: {
            /** Part Size Bytes */
            readonly part_size_bytes: number;
            /** Parts */
            readonly parts: readonly components["schemas"]["PartPlan"][];
        };
        /**
         * Variable
         * @description One environment variable from the allow-list.
         */
        readonly Variable: {
            /** Name */
            readonly name: string;
            /** Value */
            readonly value: string;
        };
        /**
         * Verdict
         * @description One claim, judged.
         */
        readonly Verdict: {
            /**
             * Bundle Ids
             * @description Bundles that were looked at for this claim, the deciding one first.
             */
            readonly bundle_ids: readonly string[];
            /**
             * Cells
             * @description Of the deciding bundle, in its order.
             */
            readonly cells: readonly components["schemas"]["CellVerdict"][];
            readonly claim: components["schemas"]["Claim"];
            /** Claim Id */
            readonly claim_id: string;
            /**
             * Effect Size
             * @description Change for the better against the baseline: ratio - 1, or the difference for accuracy.
             */
            readonly effect_size: number | null;
            /** @description Of the cell that decides, the one with the weakest case for the claim; None where the cell is no evidence. */
            readonly estimate: components["schemas"]["Estimate"] | null;
            /**
             * Inherited From
             * @description Commit at which the deciding cells were measured, if they are inherited; None: measured at the head.
             */
            readonly inherited_from?: string | null;
            /**
             * Interval
             * @description `estimate` in short; of a difference for accuracy.
             */
            readonly interval: readonly [
                number,
                number
            ] | null;
            /** @description None: the claim is settled. */
            readonly next_run: components["schemas"]["NextRun"] | null;
            /**
             * Outcome
             * @enum {string}
             */
            readonly outcome: "supported" | "contradicted" | "inconclusive" | "no_evidence" | "not_comparable";
            /**
             * P Value
             * @description One-sided error of the decision, corrected over all claims, bundles and tries of the pull request.
             *     None: chance has no part in the decision.
             */
            readonly p_value: number | null;
            /** Ratio */
            readonly ratio: number | null;
            /**
             * Reason
             * @description One sentence. May quote bundles: escape before showing.
             */
            readonly reason: string;
            /**
             * Samples
             * @description Samples of baseline and candidate in the deciding cell.
             */
            readonly samples: readonly [
                number,
                number
            ] | null;
            /**
             * Tries
             * @description Runs behind the deciding bundle, the ones that were never handed in included: they multiply its error.
             * @default 1
             */
            readonly tries: number;
            readonly trust: components["schemas"]["TrustLevel"] | null;
            /** Trust Level */
            readonly trust_level: number | null;
            /**
             * Unit
             * @description Of the metric's values.
             */
            readonly unit: string | null;
            /**
             * Waivers
             * @description Waivers without which something would be held against the deciding cells.
             * @default []
             */
            readonly waivers: readonly components["schemas"]["Waiver"][];
        };
        /**
         * Waiver
         * @description One waiver.
         */
        readonly Waiver: {
            /**
             * At
             * Format: date-time
             */
            readonly at: string;
            /**
             * By
             * @description Login of the maintainer.
             */
            readonly by: string;
            /**
             * Head Sha
             * @description The only commit it holds for.
             */
            readonly head_sha: string;
            /**
             * Number
             * @description Counts within the pull request; never used again.
             */
            readonly number: number;
            /**
             * Reason
             * @description In the maintainer's words: escape before showing.
             */
            readonly reason: string;
            /** Rule Id */
            readonly rule_id: string;
        };
        /**
         * WebhookReceipt
         * @description What was done with a delivery.
         */
        readonly WebhookReceipt: {
            /**
             * Action
             * @description ``pull_updated``: the pull request is judged again; ``heard``: a command or a button, answered on GitHub;
             *     ``check_repeated``: the check is said once more; ``access_checked``: GitHub is asked where we are let in;
             *     ``ignored``: nothing here acts on it; ``repeated``: this delivery was seen before.
             * @enum {string}
             */
            readonly action: "pull_updated" | "heard" | "check_repeated" | "access_checked" | "ignored" | "repeated";
            /** Delivery Id */
            readonly delivery_id: string;
        };
        /**
         * WithinTolerance
         * @description ``within tolerance``: every operator case lies inside the tolerance of its own row (numerics only).
         */
        readonly WithinTolerance: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            readonly kind: "within_tolerance";
        };
        /**
         * Witness
         * @description Another party's run held against a bundle.
         */
        readonly Witness: {
            /** Bundle Id */
            readonly bundle_id: string;
            /**
             * Outcome
             * @enum {string}
             */
            readonly outcome: "reproduced" | "differs" | "undecided";
            /** Owner */
            readonly owner: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly list_own_nodes: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the page before; absent: the first page. */
                readonly cursor?: string | null;
                /** @description Most items to return. */
                readonly limit?: number;
            };
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OwnNodeList"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed; the cursor was not made by this list */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_accounts: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the page before; absent: the first page. */
                readonly cursor?: string | null;
                /** @description Most items to return. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AccountList"];
                };
            };
            /** @description A path, query or header parameter is malformed; the cursor was not made by this list */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly put_role: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description GitHub's number of the account. */
                readonly account_id: number;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RolePut"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AccountItem"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request does not come from a page of this service */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such account */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_blob: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "if-none-match"?: string | null;
            };
            readonly path: {
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly sha256: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file, byte for byte */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No validated bundle holds this blob */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The blob store cannot be reached; the same request will work later; the database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly announce_parts: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly sha256: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["PartsPost"];
            };
        };
        readonly responses: {
            /** @description Where the parts go */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PartAddresses"];
                };
            };
            /** @description A path, query or header parameter is malformed; the part does not have the size the upload plan gave it */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request does not come from a page of this service */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No open upload lists this blob; the blob has no part of this number */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The blob store cannot be reached; the same request will work later; the database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly put_part: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description RFC 9530: `sha-256=:BASE64:` of the part's bytes. */
                readonly "content-digest": string;
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description Number of the part, from 1. */
                readonly number: number;
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly sha256: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/octet-stream": string;
            };
        };
        readonly responses: {
            /** @description The part is here */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PartReceipt"];
                };
            };
            /** @description A path, query or header parameter is malformed; a header is missing, repeated or malformed; the part does not have the size the upload plan gave it; the part does not match its Content-Digest */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request does not come from a page of this service */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No open upload lists this blob; the blob has no part of this number */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The blob store cannot be reached; the same request will work later; the database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_bundles: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the page before; absent: the first page. */
                readonly cursor?: string | null;
                /** @description Most items to return. */
                readonly limit?: number;
            };
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BundleList"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed; the cursor was not made by this list */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly post_bundle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description A word of your own for this request: sent again with it, it is answered as before and done once.
                 * @example 6f9d2c1e-9c0b-4a53-8f1f-0c5e2f7f7a10
                 */
                readonly "Idempotency-Key"?: string;
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["BundlePost"];
            };
        };
        readonly responses: {
            /** @description The bundle was known already */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BundleReceipt"];
                };
            };
            /** @description The bundle is new */
            readonly 201: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BundleReceipt"];
                };
            };
            /** @description A header is missing, repeated or malformed */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many new bundles within a day; too many bytes in open uploads; finish some, or wait until they expire; too many bytes are stored already */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle is known with another envelope */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle was retracted; a tombstone is kept; the bundle's contents were not kept any longer; a tombstone is */
            readonly 410: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes; the manifest is too large; the bundle's files are too large together; one of the bundle's files is too large */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape; the manifest does not have the documented shape; the manifest is not canonical JSON; the manifest cannot be written as canonical JSON; one digest is listed with two sizes; the envelope is not a DSSE envelope of ours */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The blob store cannot be reached; the same request will work later; the database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_bundle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly bundle_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BundlePage"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such bundle */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_envelope: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly bundle_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The DSSE envelope over the manifest */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle is quarantined; its contents are not shown */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such bundle; the bundle is unsigned */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle's contents are not shown before it has been validated */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle was retracted; a tombstone is kept; the bundle's contents were not kept any longer; a tombstone is */
            readonly 410: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly invalidate_bundle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly bundle_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RulingPost"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RulingReceipt"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Administrative routes are closed: no admin token is configured */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such bundle */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle's contents are not shown before it has been validated */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle was retracted; a tombstone is kept; the bundle's contents were not kept any longer; a tombstone is */
            readonly 410: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_manifest: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "if-none-match"?: string | null;
            };
            readonly path: {
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly bundle_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The canonical bytes whose SHA-256 is the bundle's id */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/octet-stream": string;
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle is quarantined; its contents are not shown */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such bundle */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle's contents are not shown before it has been validated */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle was retracted; a tombstone is kept; the bundle's contents were not kept any longer; a tombstone is */
            readonly 410: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly release_bundle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly bundle_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RulingPost"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RulingReceipt"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Administrative routes are closed: no admin token is configured */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such bundle */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle's contents are not shown before it has been validated; the bundle is not quarantined */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle was retracted; a tombstone is kept; the bundle's contents were not kept any longer; a tombstone is */
            readonly 410: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly reinstate_bundle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly bundle_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RulingPost"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RulingReceipt"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Administrative routes are closed: no admin token is configured */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such bundle */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle's contents are not shown before it has been validated; the bundle is not invalidated */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle was retracted; a tombstone is kept; the bundle's contents were not kept any longer; a tombstone is */
            readonly 410: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly retract_bundle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly bundle_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RulingPost"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RulingReceipt"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Administrative routes are closed: no admin token is configured */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such bundle */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle's contents are not shown before it has been validated */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle was retracted; a tombstone is kept; the bundle's contents were not kept any longer; a tombstone is */
            readonly 410: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_status: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly bundle_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Where it stands */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BundleReceipt"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such bundle */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The blob store cannot be reached; the same request will work later; the database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly submit_bundle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description SHA-256 in lower-case hexadecimal. */
                readonly bundle_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Every blob was verified */
            readonly 202: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BundleReceipt"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request does not come from a page of this service */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such bundle */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Parts of the bundle are missing; the upload expired; post the manifest again; the blob's parts do not add up to its digest; upload them again */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The blob store cannot be reached; the same request will work later; the database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_challenges: {
        readonly parameters: {
            readonly query: {
                /** @description `next_cursor` of the page before; absent: the first page. */
                readonly cursor?: string | null;
                /** @description Most items to return. */
                readonly limit?: number;
                /** @description The pull request, as `owner/name/number`. */
                readonly pull: string;
            };
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChallengeList"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed; the cursor was not made by this list */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such pull request is known here */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly post_challenge: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description A word of your own for this request: sent again with it, it is answered as before and done once.
                 * @example 6f9d2c1e-9c0b-4a53-8f1f-0c5e2f7f7a10
                 */
                readonly "Idempotency-Key"?: string;
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ChallengePost"];
            };
        };
        readonly responses: {
            /** @description The challenge, told once */
            readonly 201: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChallengeReceipt"];
                };
            };
            /** @description A header is missing, repeated or malformed */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request does not come from a page of this service */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No published suite has this digest; no such pull request is known here; no registered node has this key */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The pull request is closed; the pull request has as many unused challenges as it may have */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The address or the node has as many unused challenges as it may have */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_challenge: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /** @description As it was issued. */
                readonly challenge_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChallengeRef"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such challenge */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly abandon_challenge: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description As it was issued. */
                readonly challenge_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ChallengeGivenUp"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChallengeRef"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The nonce is not this challenge's */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such challenge */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The challenge was used, or its time is over */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly compare_bundles: {
        readonly parameters: {
            readonly query: {
                /** @description One bundle. */
                readonly a: string;
                /** @description The other; ratios are B against A. */
                readonly b: string;
            };
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ComparePage"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle is quarantined; its contents are not shown */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such bundle */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle's contents are not shown before it has been validated */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The bundle was retracted; a tombstone is kept; the bundle's contents were not kept any longer; a tombstone is */
            readonly 410: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The blob store cannot be reached; the same request will work later; the database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly receive_webhook: {
        readonly parameters: {
            readonly query?: never;
            readonly header: {
                /** @description Id of the delivery; a repeated one changes nothing. */
                readonly "X-GitHub-Delivery": string;
                /** @description Name of the event. */
                readonly "X-GitHub-Event": string;
                /** @description `sha256=` and the HMAC of the raw body. */
                readonly "X-Hub-Signature-256": string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": Record<string, never>;
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookReceipt"];
                };
            };
            /** @description The delivery has no id; the delivery names no event */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The delivery is not signed; the delivery's signature is wrong */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Webhooks are refused: no webhook secret is configured */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes; the delivery is too large */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here; the delivery is not JSON */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The delivery is not in its event's shape */
            readonly 422: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_jobs: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the page before; absent: the first page. */
                readonly cursor?: string | null;
                /** @description Most items to return. */
                readonly limit?: number;
                /** @description Only of this pull request, as `owner/name/number`. */
                readonly pull?: string | null;
                /** @description Only jobs in one of these. */
                readonly state?: readonly ("unapproved" | "queued" | "leased" | "done" | "cancelled" | "stale" | "quarantined" | "dead")[] | null;
            };
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JobList"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed; the cursor was not made by this list */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such pull request is known here */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly order_job: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["OrderPost"];
            };
        };
        readonly responses: {
            /** @description The order, or the one that is open already */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JobRef"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this; the credential is for another repository, pull request or commit */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such pull request is known here; no published suite has this name */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The pull request is closed; the pull request has another head than the one that was named; the pull request has as many open jobs as it may have */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The account has ordered as many jobs today as it may */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description GitHub did not give a usable answer */
            readonly 502: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_job: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                /** @description As it was ordered. */
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JobPage"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such job */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly repeat_job: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description As it was ordered. */
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JobRef"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this; the credential is for another repository, pull request or commit; the account may not write to this repository */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such job */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The pull request is closed; the pull request has another head than the one that was named; only a job that was given up can be ordered again */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description GitHub did not give a usable answer */
            readonly 502: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly approve_job: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description As it was ordered. */
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ApprovalPost"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JobRef"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this; the credential is for another repository, pull request or commit; the account may not write to this repository */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such job */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The pull request is closed; the pull request has another head than the one that was named; the job does not wait for approval */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description GitHub did not give a usable answer */
            readonly 502: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly cancel_job: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description As it was ordered. */
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JobRef"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this; the credential is for another repository, pull request or commit; the account may not write to this repository */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such job */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The job has ended */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description GitHub did not give a usable answer */
            readonly 502: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly fail_job: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description As it was ordered. */
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["FailPost"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JobPage"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this; the node belongs to somebody else */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No registered node has this key; no such job */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The lease has ended or was replaced; nothing of it counts any more */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly finish_job: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description As it was ordered. */
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["FinishPost"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JobPage"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this; the node belongs to somebody else */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No registered node has this key; no such job */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The lease has ended or was replaced; nothing of it counts any more; the bundle does not answer the job's challenge */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly post_heartbeat: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description As it was ordered. */
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["HeartbeatPost"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HeartbeatAnswer"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this; the node belongs to somebody else */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No registered node has this key */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The lease has ended or was replaced; nothing of it counts any more */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly post_progress: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description As it was ordered. */
                readonly job_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ProgressPost"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["JobPage"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this; the node belongs to somebody else */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No registered node has this key; no such job */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The lease has ended or was replaced; nothing of it counts any more */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape; the progress names an eval that the suite does not have, or names one twice */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly claim_job: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ClaimPost"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ClaimAnswer"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this; the node belongs to somebody else */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No registered node has this key */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_metrics: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MetricList"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly post_node: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description A word of your own for this request: sent again with it, it is answered as before and done once.
                 * @example 6f9d2c1e-9c0b-4a53-8f1f-0c5e2f7f7a10
                 */
                readonly "Idempotency-Key"?: string;
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["NodePost"];
            };
        };
        readonly responses: {
            /** @description The node was known already */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NodeReceipt"];
                };
            };
            /** @description The node is new */
            readonly 201: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NodeReceipt"];
                };
            };
            /** @description A header is missing, repeated or malformed */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request does not come from a page of this service */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The key is registered with another owner; the key was revoked */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape; the public key is not an ed25519 key; an operator names the owner; an account is it; the proof does not show that you hold the key */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly revoke_node: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description Id of the node's key. */
                readonly key_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OwnNode"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request does not come from a page of this service */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No registered node has this key */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_offers: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the page before; absent: the first page. */
                readonly cursor?: string | null;
                /** @description Most items to return. */
                readonly limit?: number;
            };
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["NodeList"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed; the cursor was not made by this list */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_keys: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the page before; absent: the first page. */
                readonly cursor?: string | null;
                /** @description Most items to return. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PullKeyList"];
                };
            };
            /** @description A path, query or header parameter is malformed; the cursor was not made by this list */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly revoke_pull_key: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description The part of it that may be shown. */
                readonly key_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PullKeyItem"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request does not come from a page of this service */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have issued no such key */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_pulls: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the page before; absent: the first page. */
                readonly cursor?: string | null;
                /** @description Most items to return. */
                readonly limit?: number;
            };
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PullList"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed; the cursor was not made by this list */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_pull: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                readonly name: string;
                readonly number: number;
                readonly owner: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PullPage"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such pull request is known here */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly put_claims: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                readonly name: string;
                readonly number: number;
                readonly owner: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ClaimsPut"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ClaimSet"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this; the credential is for another repository, pull request or commit; the account may not write to this repository */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such pull request is known here */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The pull request's description has a claims block, which is what counts */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape; the claims block cannot be read; `errors` says where and why */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description GitHub did not give a usable answer */
            readonly 502: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly delete_claims: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                readonly name: string;
                readonly number: number;
                readonly owner: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Nothing is stated here any more */
            readonly 204: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this; the credential is for another repository, pull request or commit; the account may not write to this repository */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such pull request is known here */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description GitHub did not give a usable answer */
            readonly 502: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_pull_keys: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the page before; absent: the first page. */
                readonly cursor?: string | null;
                /** @description Most items to return. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly name: string;
                readonly number: number;
                readonly owner: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PullKeyList"];
                };
            };
            /** @description A path, query or header parameter is malformed; the cursor was not made by this list */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such pull request is known here */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly post_pull_key: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                readonly name: string;
                readonly number: number;
                readonly owner: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key, told once */
            readonly 201: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PullKeyReceipt"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The pull request is not yours */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such pull request is known here */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The pull request is closed */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description GitHub did not give a usable answer */
            readonly 502: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly sync_pull: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                readonly name: string;
                readonly number: number;
                readonly owner: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PullRef"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Administrative routes are closed: no admin token is configured */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description GitHub does not know this pull request, or hides it */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service has no GitHub credentials */
            readonly 409: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description GitHub did not give a usable answer */
            readonly 502: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_policy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path: {
                readonly name: string;
                readonly owner: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MergePolicy"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No pull request of this repository is known here */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly put_policy: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                readonly name: string;
                readonly owner: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MergePolicy"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MergePolicy"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Administrative routes are closed: no admin token is configured */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No pull request of this repository is known here */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape; the policy names a kind of claim twice */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_revalidations: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the page before; absent: the first page. */
                readonly cursor?: string | null;
                /** @description Most items to return. */
                readonly limit?: number;
            };
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RevalidationList"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed; the cursor was not made by this list */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly post_revalidations: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description They will be judged again */
            readonly 202: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RevalidationReceipt"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Administrative routes are closed: no admin token is configured */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_rules: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RuleList"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_service_key: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ServiceKey"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_session: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionPage"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly delete_session: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Signed out */
            readonly 204: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request does not come from a page of this service */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly sign_in: {
        readonly parameters: {
            readonly query?: {
                /** @description Page to come back to: a path here. */
                readonly return_to?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description GitHub's page */
            readonly 303: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody can sign in: no App is configured for it */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly come_back: {
        readonly parameters: {
            readonly query?: {
                /** @description GitHub's; absent: the user said no. */
                readonly code?: string;
                /** @description As GitHub was given it. */
                readonly state?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Where to go from here */
            readonly 303: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly post_device: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 201: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeviceReceipt"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody can sign in: no App is configured for it */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description GitHub did not give a usable answer */
            readonly 502: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly post_device_token: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["DevicePost"];
            };
        };
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeviceProgress"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Nobody can sign in: no App is configured for it; gitHub does not say who this is */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The sign-in took too long, or has ended */
            readonly 410: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description GitHub did not give a usable answer */
            readonly 502: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_service_status: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Status"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_suites: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Answer 304 if this is still the ETag. */
                readonly "If-None-Match"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example W/"0f3a9c" */
                    readonly ETag?: string;
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SuiteList"];
                };
            };
            /** @description Not modified */
            readonly 304: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly list_tokens: {
        readonly parameters: {
            readonly query?: {
                /** @description `next_cursor` of the page before; absent: the first page. */
                readonly cursor?: string | null;
                /** @description Most items to return. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TokenList"];
                };
            };
            /** @description A path, query or header parameter is malformed; the cursor was not made by this list */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly post_token: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["TokenPost"];
            };
        };
        readonly responses: {
            /** @description The token, told once */
            readonly 201: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TokenReceipt"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The credential does not allow this */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No registered node has this key */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is larger than this address takes */
            readonly 413: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body's media type or encoding is not taken here */
            readonly 415: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is not strict JSON; the body does not have the documented shape; a token may not be good for so long */
            readonly 422: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly revoke_token: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description With a session's cookie: the word that `GET /api/v1/session` tells. */
                readonly "X-CSRF-Token"?: string;
            };
            readonly path: {
                /** @description The part of it that may be shown. */
                readonly token_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TokenItem"];
                };
            };
            /** @description A path, query or header parameter is malformed */
            readonly 400: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A credential is missing, or the one that was sent is not good */
            readonly 401: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request does not come from a page of this service */
            readonly 403: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description You have no such token */
            readonly 404: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests in too short a time */
            readonly 429: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database cannot be reached; the same request will work later; the database did not get to it in time; the same request will work later */
            readonly 503: {
                headers: {
                    /** @example "read";r=1799;t=42 */
                    readonly RateLimit?: string;
                    /** @example "read";q=1800;w=60 */
                    readonly "RateLimit-Policy"?: string;
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_health: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readonly get_ready: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description What was asked for */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description The server failed; the same request may work later */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A part is down; its field says which */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
}
