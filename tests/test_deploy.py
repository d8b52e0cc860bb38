"""What is shipped for running the service: valid for the programs that it is written for."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEPLOY = Path(__file__).resolve().parent.parent / "deploy"
KUBERNETES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))


def test_there_is_something_to_check() -> None:
    assert {path.name for path in KUBERNETES} >= {"workers.yaml", "indexer.yaml", "ingress.yaml"}


@pytest.mark.slow
def test_the_compose_file_is_valid() -> None:
    command = [Path(sys.executable).parent / "check-jsonschema", "--builtin-schema"]
    checked = [*command, "vendor.compose-spec", DEPLOY / "compose.yaml"]
    subprocess.run(checked, check=True, timeout=120)


@pytest.mark.slow
@pytest.mark.parametrize("path", KUBERNETES, ids=lambda path: path.stem)
def test_the_manifests_are_valid(path: Path) -> None:
    command = [Path(sys.executable).parent / "kubernetes-validate", "--strict", path]
    subprocess.run(command, check=True, timeout=120)


@pytest.mark.parametrize("path", [DEPLOY / "nginx.conf", *KUBERNETES], ids=lambda path: path.stem)
def test_no_proxy_repeats_a_question(path: Path) -> None:
    """With `non_idempotent` nginx sends a POST to another worker when the first has had it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    said = [line for line in lines if not line.lstrip().startswith("#")]
    assert not any("non_idempotent" in line for line in said)


@pytest.mark.cluster
def test_nginx_understands_its_file(tmp_path: Path) -> None:
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    if nginx is None:
        pytest.skip("nginx is not installed")
    main = tmp_path / "nginx.conf"
    main.write_text(
        f"pid {tmp_path}/pid;\nevents {{ }}\nhttp {{\naccess_log off;\n"
        f"include {DEPLOY / 'nginx.conf'};\n}}\n"
    )
    checked = [nginx, "-t", "-p", str(tmp_path), "-c", str(main), "-e", f"{tmp_path}/error.log"]
    subprocess.run(checked, check=True, timeout=60)
