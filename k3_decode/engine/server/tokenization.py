"""``/tokenize``, ``/detokenize`` and ``/tokenizer_info``: vLLM's shapes, which lm-eval's remote tokenizer reads."""

from fastapi import APIRouter, Request
from pydantic import BaseModel

from k3_decode.engine.chat import CHAT_TEMPLATE, render_chat
from k3_decode.engine.request import RequestError
from k3_decode.engine.server.schemas import DetokenizeBody, TokenizeBody
from k3_decode.engine.server.service import Service
from k3_decode.engine.tokenizer import BOS, EOS, PAD, TokenizerError

router = APIRouter()


class Tokenized(BaseModel):
    """Answer of ``/tokenize``."""

    count: int
    max_model_len: int
    tokens: list[int]
    token_strs: list[str] | None


class Detokenized(BaseModel):
    """Answer of ``/detokenize``."""

    prompt: str


class TokenizerInfo(BaseModel):
    """Answer of ``/tokenizer_info``."""

    tokenizer_class: str
    model_max_length: int
    bos_token: str
    eos_token: str
    pad_token: str
    chat_template: str
    digest: str


@router.post("/tokenize")
async def tokenize(body: TokenizeBody, request: Request) -> Tokenized:
    """Return the ids of a prompt or of a rendered conversation."""
    service: Service = request.app.state.service
    service.check_model(body.model)
    if (body.prompt is None) == (body.messages is None):
        raise RequestError("invalid_value", "give either prompt or messages", param="prompt")
    if body.messages is not None:
        messages = [message.message() for message in body.messages]
        tokens = render_chat(messages, service.tokenizer, add_generation_prompt=body.add_generation_prompt)
    else:
        tokens = service.encode(body.prompt or "")
    names = [service.tokenizer.printable(token) for token in tokens] if body.return_token_strs else None
    length = service.thread.engine.config.max_model_len
    return Tokenized(count=len(tokens), max_model_len=length, tokens=tokens, token_strs=names)


@router.post("/detokenize")
async def detokenize(body: DetokenizeBody, request: Request) -> Detokenized:
    """Return the text of ids."""
    service: Service = request.app.state.service
    service.check_model(body.model)
    try:
        return Detokenized(prompt=service.tokenizer.decode(body.tokens))
    except TokenizerError as error:
        raise RequestError("token_out_of_range", str(error), param="tokens") from error


@router.get("/tokenizer_info")
async def tokenizer_info(request: Request) -> TokenizerInfo:
    """Return what a client needs to use the tokenizer from afar."""
    service: Service = request.app.state.service
    return TokenizerInfo(
        tokenizer_class="ByteTokenizer",
        model_max_length=service.thread.engine.config.max_model_len,
        bos_token=BOS,
        eos_token=EOS,
        pad_token=PAD,
        chat_template=CHAT_TEMPLATE,
        digest=service.tokenizer.digest,
    )
