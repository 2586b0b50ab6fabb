import pytest
from hypothesis import given
from hypothesis import strategies as st

from todo_context.backlog.secrets import bits_per_character, find_secret

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
    ],
)
def test_what_is_no_secret_passes(text: str) -> None:
    assert find_secret({"text": text}) is None


@given(st.text(max_size=200))
def test_any_text_is_searched(text: str) -> None:
    found = find_secret({"text": text})

    assert found is None or len(found.begins) <= 4


def test_a_long_text_is_searched_in_no_time() -> None:
    assert find_secret({"notes": "password=" * 2_000 + "a://" * 5_000 + "sk-" * 20_000 + "eyJ" + "a." * 5_000}) is None


def test_entropy_is_that_of_its_characters() -> None:
    assert bits_per_character("aaaa") == 0
    assert bits_per_character("abab") == 1
    assert bits_per_character("") == 0
