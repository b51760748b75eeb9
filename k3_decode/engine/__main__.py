"""``python -m k3_decode.engine``: serve a K3 model, or write its tokenizer for transformers."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from k3_decode.config import CONFIGS
from k3_decode.decoder import DecodeMode
from k3_decode.engine.config import EngineConfig
from k3_decode.engine.core import Engine
from k3_decode.engine.identity import describe
from k3_decode.engine.loading import add_decode_options, add_model_options, load_model, specialize
from k3_decode.engine.server.app import create_app
from k3_decode.engine.server.run import serve
from k3_decode.engine.tokenizer_files import write_tokenizer
from k3_decode.errors import K3Error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status: 0 fine, 2 usage, 3 this machine or its files do not allow it."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "serve":
            _serve(options)
        else:
            _write_tokenizer(options)
    except (K3Error, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return 0


def _serve(options: argparse.Namespace) -> None:
    limits = {name: getattr(options, name) for name in vars(EngineConfig())}
    config = EngineConfig(**limits)
    loaded = load_model(options)
    mode = cast(DecodeMode, options.decode)
    specialization = specialize(loaded.model, mode, options.kernels)
    if specialization.detail:
        print(f"decoding on the stock path: {specialization.detail}", file=sys.stderr)
    engine = Engine(loaded.model, config=config, mode=mode, specialization=specialization)
    identity = describe(
        loaded.model,
        weights=loaded.weights,
        dequantized_experts=loaded.dequantized_experts,
        mode=mode,
        specialization=specialization,
        engine=config,
    )
    name = options.served_model_name or loaded.model.config.name
    app = create_app(engine, model_name=name, identity=identity)
    serve(
        app,
        host=options.host,
        port=options.port,
        end_requests=app.state.service.thread.stop,
        port_file=options.port_file,
    )


def _write_tokenizer(options: argparse.Namespace) -> None:
    config = CONFIGS[options.config]
    length = EngineConfig().max_model_len
    for path in write_tokenizer(options.out, vocab_size=config.vocab_size, max_model_len=length):
        print(path)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m k3_decode.engine", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    server = commands.add_parser("serve", help="serve an OpenAI-compatible API until SIGTERM")
    add_model_options(server)
    add_decode_options(server)
    server.add_argument("--host", default="127.0.0.1")
    server.add_argument("--port", type=int, default=8000, help="0 takes a free port")
    server.add_argument("--port-file", type=Path, metavar="FILE", help="receives the port once the server is ready")
    server.add_argument("--served-model-name", metavar="NAME", help="default: the name of the configuration")
    for name, value in vars(EngineConfig()).items():
        server.add_argument(
            f"--{name.replace('_', '-')}", type=int, default=value, metavar="N", help=f"default {value}"
        )

    files = commands.add_parser("tokenizer", help="write the tokenizer as a folder that transformers loads")
    files.add_argument("--config", choices=sorted(CONFIGS), default="k3-tiny", help="model configuration")
    files.add_argument("--out", type=Path, required=True, metavar="DIR")
    return parser


if __name__ == "__main__":
    sys.exit(main())
