import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_context.backlog.checklist import HEAD
from todo_context.backlog.secrets import bits_per_character, find_secret, masked
from todo_context.drafts import Draft, left_over
from todo_context.kept import Kept

# Put together here, so that no scanner takes this file for a leak.
SECRETS = [
    pytest.param("private key", "-----BEGIN " + "OPENSSH PRIVATE KEY-----\nb3BlbnNz", id="private key"),
    pytest.param("private key", "-----BEGIN " + "PRIVATE KEY-----", id="private key without a kind"),
    pytest.param("AWS access key", "AK" + "IAIOSFODNN7EXAMPLE", id="AWS"),
    pytest.param("AWS access key", "AS" + "IAIOSFODNN7EXAMPLE", id="AWS for a session"),
    pytest.param("GitHub token", "gh" + "p_" + "a1B2" * 9, id="GitHub"),
    pytest.param("GitHub token", "github_" + "pat_" + "a1B2_" * 8, id="GitHub, fine-grained"),
    pytest.param("GitLab token", "gl" + "pat-a1B2c3D4e5F6g7H8i9J0", id="GitLab"),
    pytest.param("GitLab token", "gl" + "rt-t1_abcdefghijklmnopq", id="GitLab runner"),
    pytest.param("Stripe key", "sk_" + "live_a1B2c3D4e5F6g7H8i9J0k1L2", id="Stripe"),
    pytest.param("Stripe key", "rk_" + "live_a1B2c3D4e5F6g7H8i9J0k1L2", id="Stripe, restricted"),
    pytest.param("Stripe key", "sk_" + "test_a1B2c3D4e5F6g7H8i9J0k1L2", id="Stripe, for tests"),
    pytest.param("npm token", "npm" + "_" + "a1B2" * 9, id="npm"),
    pytest.param("Hugging Face token", "hf" + "_" + "aBcDeFgHiJkLmNoPq" * 2, id="Hugging Face"),
    pytest.param("PyPI token", "pypi-" + "AgEIcHlwaS5vcmc" + "a1B2_" * 12, id="PyPI"),
    pytest.param("Slack token", "xa" + "pp-1-A0B1C2D3E4F-1234567890", id="Slack app"),
    pytest.param("API key", "sk-" + "proj-a1B2c3D4e5F6g7H8i9J0", id="sk-"),
    pytest.param("Slack token", "xo" + "xb-123456789012-abcdefghij", id="Slack"),
    pytest.param("Google API key", "AI" + "za" + "a1B2c3D" * 5, id="Google"),
    pytest.param("JSON web token", "ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", id="JWT"),
    pytest.param("password in an address", "postgres://ann:" + "hunter2@db.example/x", id="address"),
    pytest.param("password in an address", "redis://:" + "hunter2@db.example", id="address without a user"),
    pytest.param("password or token", "password: " + "kX9vQ2mZp4Lw", id="password"),
    pytest.param("password or token", 'API_KEY="' + "9f86d081884c7d65" + '"', id="api_key in quotes"),
    pytest.param("password or token", "DB_TOKEN = " + "abcdefghijklmnopQRST", id="token of letters"),
    pytest.param("password or token", "aws_secret_access_key=" + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzZ", id="AWS secret"),
    pytest.param("password or token", '"SecretAccessKey": "' + "wJalrXUtnFEMI/K7MDENG" + '"', id="AWS secret in JSON"),
    pytest.param("password or token", "AccountKey=" + "a1B2c3D4e5F6g7H8==", id="account key"),
    pytest.param("password or token", "private key: " + "9f86d081884c7d65", id="key of two words"),
    pytest.param("authorization", "Authorization: Bearer " + "9f86d081884c7d65", id="header"),
    pytest.param("authorization", "-H 'authorization:Basic " + "YW5uOmh1bnRlcjI=" + "'", id="header of curl"),
    pytest.param("authorization", "say bearer " + "a1B2c3D4e5F6g7H8i9J0", id="bearer alone"),
]


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_a_secret_is_found_wherever_it_stands(kind: str, text: str) -> None:
    found = find_secret({"text": "fine", "notes": f"see here\n{text} and more"})

    assert found is not None
    assert (found.kind, found.field) == (kind, "notes")
    assert len(found.begins) <= 4


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_a_joiner_that_nobody_sees_hides_nothing(kind: str, text: str) -> None:
    found = find_secret({"text": text[:9] + "\u200b" + text[9:]})

    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "Rotate the password: see the runbook for it",
        "token: AbstractTokenProvider",
        "secret = $SECRET_FROM_VAULT_1",
        "api_key: <your key goes here 1>",
        "password: xxxxxxxxxxxx1",
        "sk-learn needs an update",
        "sk-learn-pipeline-rework-of-the-loader",
        "AKIA is how AWS keys begin",
        "AKIAIOSFODNN7EXAMPLE2 has a character too many",
        "refuse glpat-… and glpat-tokens-are-caught-now-too",
        "glpat-a1B2c3D4e5F6g7H8i9 is a character short",
        "sk_live_ and rk_live_ are how those of Stripe begin",
        "sk_live_mode is set, task_live_a1B2c3D4e5F6g7H8",
        "npm_config_registry_is_set_in_the_environment_of_ci",
        "npm_package_json1234567890abcdefghij",
        "hf_hub_download and hf_transfer_is_enabled_by_default_since_2",
        "half_a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8",
        "github_pat_tokens_are_all_caught_now",
        "xoxb-tokens-in-the-log",
        "AIza is how those of Google begin, AIza-a1B2c3D4",
        "pypi-AgEI is how those of PyPI begin",
        "https://example.com:8080/a@b",
        "git@github.com:org/repo.git",
        "mailto://ann@example.com",
        "Read the private key header",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "rotate the bearer token",
        "Bearer authentication for the door, and basic-authentication-2",
        "Authorization: Bearer <token> is what the header says",
        "Authorization: Bearer $TOKEN_OF_THE_CI_2",
        "bearer AbstractAuthenticationProvider",
        "bearer tokens-are-refused-at-the-door-2",
        "the access key: see the runbook for it",
        "the key 550e8400-e29b-41d4-a716-446655440000 of an item",
        "cache_key=9f86d081884c7d659a2f, foreign_key=user_id_2_of_a_row",
        "PWD=/home/user/core-2/extension",
    ],
)
def test_what_is_no_secret_passes(text: str) -> None:
    assert find_secret({"text": text}) is None


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_masked_a_text_says_how_a_secret_begins_and_passes(kind: str, text: str) -> None:
    whole = f"\u200bsee {text}\nand on"

    shown = masked(whole)

    assert find_secret({"text": shown}) is None, kind
    assert text[-8:].strip("'\"") not in shown
    assert shown.startswith("\u200bsee ")
    assert shown.endswith("\nand on")


def test_masked_a_key_is_gone_to_its_end_and_what_stands_beside_it_stays() -> None:
    key = "-----BEGIN " + "RSA PRIVATE KEY-----\n  > " + "MIIEpAIBAAKCAQEA7bq\n  > " * 3
    token, emoji = "gh" + "p_" + "a1B2" * 9, "\U0001f469\u200d\U0001f467"

    assert masked(f"- [ ] a\n{key}abc=\n  > -----END RSA PRIVATE KEY-----\n- [ ] b") == "- [ ] a\n----…\n- [ ] b"
    assert masked(f"{key}\n- [ ] b").endswith("\n- [ ] b")
    assert "MIIE" not in masked(key)
    assert masked(f"{emoji} ({token}) {token}xy {emoji}") == f"{emoji} (ghp_…) ghp_… {emoji}"
    assert masked(f"{emoji} nothing") == f"{emoji} nothing"


@given(st.text(max_size=200))
def test_any_text_is_searched(text: str) -> None:
    found = find_secret({"text": text})

    assert found is None or len(found.begins) <= 4


def test_a_long_text_is_searched_in_no_time() -> None:
    assert find_secret({"notes": "password=" * 2_000 + "a://" * 5_000 + "sk-" * 20_000 + "eyJ" + "a." * 5_000}) is None
    assert find_secret({"notes": "bearer " * 9_000 + "authorization: " * 9_000 + "-----BEGIN " * 9_000}) is None
    assert len(masked("-----BEGIN " + "PRIVATE KEY " * 20_000)) < 240_000


def test_entropy_is_that_of_its_characters() -> None:
    assert bits_per_character("aaaa") == 0
    assert bits_per_character("abab") == 1
    assert bits_per_character("") == 0


TOKEN = "gh" + "p_" + "a1B2" * 9
OPENED = f"{HEAD}# core\n- [ ] Let through: {TOKEN} <!-- td-aaaa -->\n"
EDITED = f"{OPENED}- [ ] Use {TOKEN}\n"
KEPT = EDITED.replace(TOKEN, "ghp_…")


def on_disk(folder: Path) -> str:
    return "".join(path.read_text() for path in folder.iterdir())


def test_a_backlog_that_came_back_from_an_editor_stands_in_no_file_with_its_secrets(tmp_path: Path) -> None:
    draft = Draft.write(tmp_path, OPENED, owner="s1")
    draft.path.write_text(EDITED)

    assert (draft.read(), draft.is_as_opened) == (EDITED, True)
    assert TOKEN not in on_disk(tmp_path)
    again = left_over(tmp_path, "s1")
    assert again is not None
    assert (again.read(), again.opened) == (KEPT, OPENED.replace(TOKEN, "ghp_…"))
    again.settle()
    assert TOKEN not in on_disk(tmp_path)


def test_an_editor_that_died_leaves_a_text_that_is_offered_without_its_secrets(tmp_path: Path) -> None:
    Draft.write(tmp_path, OPENED, owner="s1").path.write_text(EDITED)

    again = left_over(tmp_path, "s1")

    assert again is not None
    assert again.read() == KEPT
    assert TOKEN not in on_disk(tmp_path)


def test_a_backlog_that_comes_back_as_it_was_given_leaves_none_either(tmp_path: Path) -> None:
    draft = Draft.write(tmp_path, OPENED, owner="s1")

    draft.remove_unless_open()

    assert TOKEN not in on_disk(tmp_path)
    assert left_over(tmp_path, "s1") is None


def test_what_a_host_s_own_editor_gives_back_is_kept_without_its_secrets(tmp_path: Path) -> None:
    kept = Kept(folder=lambda: tmp_path, notify=lambda _message, _level: None, owner="s1")

    async def ask(_shown: str) -> str:
        return EDITED

    kept.hold(EDITED, OPENED)
    kept.hold(f"{EDITED}\n", OPENED)
    kept.keep(EDITED, OPENED)
    assert asyncio.run(kept.edited(ask, OPENED)) == EDITED

    assert (len(list(tmp_path.glob("*.md"))), TOKEN in on_disk(tmp_path)) == (3, False)
    kept.follow("s2")
    assert TOKEN not in on_disk(tmp_path)


def test_a_plan_is_kept_as_it_stands(tmp_path: Path) -> None:
    draft = Draft.write(tmp_path, f"- [ ] Use {TOKEN}\n", owner="s1")

    assert draft.read() == draft.path.read_text() == f"- [ ] Use {TOKEN}\n"
