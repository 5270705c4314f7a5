"""A corpus of secrets and of harmless lines, on which the recognition of secrets is measured.

No secret is real: `<kind length>` in a form stands for random characters, so that no file contains what looks like one.
"""

import random
import re
from typing import NamedTuple

_CHARACTERS = {
    "a": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "b": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "d": "123456789",
    "h": "0123456789abcdef",
    "p": "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!%^*_",
    "u": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}
_PLACEHOLDER = re.compile(r"<([abdhpu])(\d+)>")


class Filled(NamedTuple):
    """A text of the corpus, and the secrets in it."""

    text: str
    secrets: list[str]


def fill(form: str) -> Filled:
    """Return a form with random secrets, the same ones each time."""
    generator = random.Random(form)
    secrets: list[str] = []

    def secret(placeholder: re.Match[str]) -> str:
        characters = _CHARACTERS[placeholder[1]]
        # Begins with a letter, as an option of a command would begin otherwise.
        first = generator.choice([each for each in characters if each.isalnum()])
        filled = first + "".join(generator.choices(characters, k=int(placeholder[2]) - 1))
        if placeholder[1] != "d":  # Digits are the number of an account.
            secrets.append(filled)
        return filled

    return Filled(_PLACEHOLDER.sub(secret, form), secrets)


TOKENS = [
    # Tokens that their form alone marks.
    "found hf_<a34> in the cache",
    "using sk-<a48>",
    "using sk-proj-<a48>",
    "using sk-ant-api03-<a80>",
    "charge with sk_live_<a24>",
    "charge with rk_live_<a24>",
    "charge with sk_test_<a24>",
    "cloned with ghp_<a36>",
    "cloned with gho_<a36>",
    "cloned with ghu_<a36>",
    "cloned with ghs_<a36>",
    "cloned with ghr_<a36>",
    "cloned with github_pat_<a22>_<a59>",
    "cloned with glpat-<a20>",
    "trigger glptt-<h40>",
    "runner glrt-<a20>",
    "deploy gldt-<a20>",
    "posted by xoxb-<d12>-<d12>-<a24>",
    "posted by xoxp-<d12>-<d12>-<a24>",
    "posted by xapp-1-<u11>-<d12>-<h64>",
    "posted by xoxe.xoxp-1-<a80>",
    "assumed AKIA<u16>",
    "assumed ASIA<u16>",
    "map key AIza<a35>",
    "refreshed ya29.<a60>",
    "client GOCSPX-<a28>",
    "uploaded with pypi-AgEIcHlwaS5vcmc<a70>",
    "published with npm_<a36>",
    "mailed with SG.<a22>.<a43>",
    "droplet of dop_v1_<h64>",
    "droplet of doo_v1_<h64>",
    "pulled with dckr_pat_<a27>",
    "inference with nvapi-<a64>",
    "inference with gsk_<a52>",
    "inference with r8_<a37>",
    "inference with pplx-<a48>",
    "inference with xai-<a80>",
    "inference with fw_<a24>",
    "signed in as eyJhbGciOiJIUzI1NiJ9.eyJ<a40>.<a43>",
    "decrypted by AGE-SECRET-KEY-1<u58>",
    "unsealed with hvs.<a90>",
    "unsealed with hvb.<a90>",
    "issue of lin_api_<a40>",
    "shop shpat_<h32>",
    "shop shpss_<h32>",
    "hook whsec_<a32>",
    "joined by tskey-auth-<a12>-<a24>",
    "bucket of LTAI<a20>",
    "design figd_<a40>",
    "gem rubygems_<h48>",
    "square sq0csp-<a43>",
    "square sq0atp-<a22>",
    "dashboards glsa_<a32>_<h8>",
    "dashboards glc_<a80>",
    "metrics of NRAK-<u27>",
    "database PMAK-<h24>-<h34>",
    "database dapi<h32>",
    "database pscale_tkn_<a43>",
    "database pscale_pw_<a43>",
    "terraform <a14>.atlasv1.<a67>",
    "notion secret_<a43>",
    "notion ntn_<a46>",
    "airtable pat<a14>.<h64>",
    "doppler dp.pt.<a43>",
    "mail key-<h32>",
    "mail xkeysib-<h64>-<a16>",
    "errors sntrys_<a80>",
    "pages CFPAT-<a43>",
    "atlassian ATATT3xFf<a80>",
    "bitbucket ATBB<a32>",
    "heroku HRKU-<h8>-<h4>-<h4>-<h4>-<h12>",
    "artifacts AKCp<a69>",
    "weights wandb_v1_<a80>",
    "vertex AQ.<a48>",
    "bot <d10>:AA<a33>",
    # Parts of addresses.
    "https://hooks.slack.com/services/T<u8>/B<u8>/<a24>",
    "https://discord.com/api/webhooks/<d18>/<a68>",
    "https://discordapp.com/api/webhooks/<d18>/<a68>",
    "https://api.telegram.org/bot<d10>:<a35>/sendMessage",
    "https://example.webhook.office.com/webhookb2/<a36>@<a36>/IncomingWebhook/<a32>/<a36>",
    "https://outlook.office.com/webhook/<a36>@<a36>/IncomingWebhook/<a32>/<a36>",
    "https://open.feishu.cn/open-apis/bot/v2/hook/<h36>",
    "https://oapi.dingtalk.com/robot/send?access_token=<h64>",
    "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=<h36>",
    "https://hooks.zapier.com/hooks/catch/<d8>/<a8>",
    "https://account.blob.core.windows.net/data?sv=2024-11-04&sig=<a43>%3D",
    "https://bucket.s3.amazonaws.com/x?X-Amz-Signature=<h64>",
    "https://storage.googleapis.com/x?X-Goog-Signature=<h64>",
    "https://user:<p16>@host/repository.git",
    "https://<a40>@github.com/owner/repository.git",
    "git+https://oauth2:<a20>@gitlab.example.org/owner/repository",
    "postgresql://trainer:<p16>@db:5432/runs",
    "mysql+pymysql://root:<p16>@localhost/optuna",
    "redis://:<p16>@redis:6379/0",
    "mongodb+srv://user:<p16>@cluster0.example.net/?retryWrites=true",
    "amqp://guest:<p16>@broker//",
    "https://<h32>@o<d6>.ingest.sentry.io/<d7>",
]
NAMED = [
    # Program code and command lines.
    'os.environ["HF_TOKEN"] = "<a20>"',
    'os.environ.setdefault("WANDB_API_KEY", "<h40>")',
    'os.putenv("SECRET_KEY", "<a30>")',
    'wandb.login(key="<h40>")',
    'login(token="<a20>")',
    'client = OpenAI(api_key="<a20>")',
    'boto3.client("s3", aws_access_key_id="AKIA<u16>", aws_secret_access_key="<b40>")',
    "comet_ml.init(api_key='<a25>')",
    'neptune.init_run(api_token="<b40>")',
    'parser.add_argument("--token", default="<a20>")',
    'parser.add_argument("--api-key", type=str, default="<a20>", help="key of the service")',
    'PASSWORD: str = "<p12>"',
    'password: Final[str] = "<p12>"',
    "password = '<p12>'",
    'db_password="<p12>"',
    'const apiKey = "<a24>";',
    'private static final String SECRET = "<a24>";',
    'api_key := "<a24>"',
    'config["password"] = "<p12>"',
    "config.password = '<p12>'",
    'if password == "<p12>":',
    'TOKEN = ("<a20>" "<a20>")',
    'headers = {"Authorization": f"Bearer <a30>"}',
    'auth = HTTPBasicAuth("user", password="<p12>")',
    "python train.py --hf_token <a20> --lr 0.1",
    "python train.py --api-key=<a20> --epochs 3",
    "python train.py wandb.api_key=<h40> model=llama",
    "python train.py --password '<p12>'",
    "torchrun train.py --hub_token <a20>",
    "export HF_TOKEN=<a20>",
    'export AWS_SECRET_ACCESS_KEY="<b40>"',
    "set OPENAI_API_KEY=<a20>",
    "setenv API_TOKEN <a20>",
    '$env:API_KEY = "<a20>"',
    "ENV WANDB_API_KEY <h40>",
    "ENV WANDB_API_KEY=<h40>",
    "ARG NPM_TOKEN=<a20>",
    '#define API_KEY "<a20>"',
    "WANDB_API_KEY=<h40> python train.py",
    "srun --export=ALL,WANDB_API_KEY=<h40> python train.py",
    "docker run -e HF_TOKEN=<a20> image",
    "kubectl create secret generic s --from-literal=password=<p12>",
    "huggingface-cli login --token <a20>",
    "wandb login <h40>",
    "wandb login --relogin <h40>",
    "mlflow server --backend-store-uri postgresql://u:<p12>@db/m",
    "curl -H 'Authorization: Bearer <a30>' https://host",
    'curl -H "X-Api-Key: <a30>" https://host',
    "curl -H 'PRIVATE-TOKEN: <a20>' https://host",
    "curl -u user:<p12> https://host",
    "curl --user user:<p12> https://host",
    "curl -d 'client_secret=<a30>' https://host",
    "wget --password=<p12> https://host",
    "wget --http-password=<p12> https://host",
    "sshpass -p <p12> ssh host",
    "docker login -u user -p <p12> registry",
    "echo <p12> | docker login -u user --password-stdin",
    "mysql -u root -p<p12> runs",
    "PGPASSWORD=<p12> psql -h db",
    "redis-cli -a <p12> ping",
    "mongosh -u root -p <p12> db",
    "git clone https://oauth2:<a20>@host/x.git",
    "aws configure set aws_secret_access_key <b40>",
    "az login --service-principal -u app -p <a30>",
    "ray start --redis-password=<p12>",
    "ssh-keygen -N <p12> -f key",
    "openssl rsa -passin pass:<p12> -in key.pem",
    "zip -P <p12> data.zip data",
    "7z x -p<p12> data.7z",
    "unzip -P <p12> data.zip",
    "gpg --passphrase <p12> -d file",
]
NOTATIONS = [
    # YAML, JSON, TOML, INI, XML, tables, .netrc, headers, output.
    "password: <p12>",
    'api_key: "<a20>"',
    "token:\n  <a20>",
    "password: |\n  <p12>",
    "secret: >-\n  <p12>\n  <p12>",
    "wandb:\n  api_key: <h40>",
    "env:\n  - name: HF_TOKEN\n    value: <a20>",
    "- {name: DB_PASSWORD, value: <p12>}",
    "HF_TOKEN: !!str <a20>",
    "access_keys: [<a20>, <a20>]",
    '{"api_key": "<a20>"}',
    '{"lr": 0.1, "hub_token": "<a20>", "seed": 1}',
    '"password":\n    "<p12>"',
    '{"name": "API_KEY", "value": "<a20>"}',
    '{"auths": {"ghcr.io": {"auth": "<b40>"}}}',
    '{\\"api_key\\": \\"<a20>\\"}',
    "{'password': '<p12>', 'lr': 0.1}",
    "Namespace(lr=0.1, hf_token='<a20>', seed=1)",
    "Config(password='<p12>', host='db')",
    'api_key = "<a20>"',
    'token = """\n<a20>\n"""',
    "[wandb]\napi_key = <h40>",
    "password=<p12>",
    "spring.datasource.password=<p12>",
    "//registry.example.org/:_authToken=<a36>",
    "//registry.example.org/:_password=<b20>",
    "[default]\naws_access_key_id = AKIA<u16>\naws_secret_access_key = <b40>",
    "<password><p12></password>",
    '<add key="ApiKey" value="<a20>"/>',
    '<server username="u" password="<p12>"/>',
    '<input type="hidden" name="csrf_token" value="<a32>">',
    "Server=db;User Id=sa;Password=<p12>;",
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=<b40>==;EndpointSuffix=core.windows.net",
    "machine api.wandb.ai login user password <h40>",
    "machine api.wandb.ai\n  login user\n  password <h40>",
    "db:5432:runs:trainer:<p12>",
    "| password | <p12> |",
    "\u2502 api_key \u2502 <a20> \u2502",
    "\u2503 hf_token \u2503 <a20> \u2503",
    "password\t<p12>",
    "api_key          <a20>",
    "hf_token,<a20>",
    "\x1b[32mpassword\x1b[0m: \x1b[1m<p12>\x1b[0m",
    "\x1b[1mhf_token\x1b[0m=<a20>",
    "Authorization: Bearer <a30>",
    "Authorization: Basic <b20>==",
    "Authorization: token <a20>",
    "Proxy-Authorization: Basic <b20>==",
    "authorization: AWS4-HMAC-SHA256 Credential=<u20>/20260101/x, Signature=<h64>",
    "X-Api-Key: <a30>",
    "X-Auth-Token: <a30>",
    "x-goog-api-key: <a30>",
    "Cookie: session=<a32>",
    "Cookie: theme=dark; session=<a32>",
    "Set-Cookie: id=<a32>; HttpOnly; Secure",
    "GET /data?api_key=<a20>&n=1 HTTP/1.1",
    "GET /data?access_token=<a20> HTTP/1.1",
    "INFO the password is <p12>",
    "Your API key is: <a20>",
    "DEBUG token=<a20> lr=0.1",
    "Logged in with token <a34>",
    "-----BEGIN PRIVATE KEY-----\n<b60>\n<b60>\n-----END PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----\n<b60>\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\n<b60>\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN EC PRIVATE KEY-----\n<b60>\n-----END EC PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n<b60>\n-----END PGP PRIVATE KEY BLOCK-----",
    "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n<b60>\nPrivate-MAC: <d10>",
    '"private_key": "-----BEGIN PRIVATE KEY-----\\n<b60>\\n-----END PRIVATE KEY-----\\n"',
    "requests.exceptions.HTTPError: 403 for url: https://host/x?token=<a20>",
    "RuntimeError: login failed for user 'x' with password '<p12>'",
]
SECRETS = TOKENS + NAMED + NOTATIONS
HARMLESS = r"""
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainingArguments
tokenizer = AutoTokenizer.from_pretrained(args.model_name_or_path, use_fast=True)
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased", token=args.token)
tokenizer.pad_token = tokenizer.eos_token
tokenizer.pad_token_id = 0
tokenizer.add_special_tokens({"pad_token": "[PAD]"})
tokenizer.padding_side = "left"
num_added_tokens = tokenizer.add_tokens(["<image>"], special_tokens=True)
model.resize_token_embeddings(len(tokenizer))
bos_token_id=128000, eos_token_id=128001,
"bos_token": "<s>", "eos_token": "</s>",
"unk_token": "<unk>",
"mask_token": "[MASK]",
"cls_token": "[CLS]",
"sep_token": "[SEP]",
"add_prefix_space": false, "tokenizer_class": "GPT2Tokenizer",
max_new_tokens=256, do_sample=True, top_p=0.9, temperature=0.7
max_tokens: 4096
num_tokens = sum(len(each) for each in batch)
tokens_per_second = num_tokens / elapsed
tokens_per_sec: 12034.5
tokens = torch.tensor(tokens, dtype=torch.long)
tokens_seen += batch_size * block_size
token_ids = tokenizer.encode(text)
token_embedding = nn.Embedding(vocab_size, d_model)
self.token_embedding_table = nn.Embedding(vocab_size, n_embd)
token_type_ids=None, position_ids=None,
x = self.tok_emb(tokens) + self.pos_emb(positions)
for token in tokens:
if token == self.eos_token_id:
train_tokens: 300B
n_tokens = 1024
wte.weight, wpe.weight
key, query, value = self.c_attn(x).split(self.n_embd, dim=2)
k, q, v = [each.view(B, T, self.n_head, C // self.n_head) for each in (k, q, v)]
self.key = nn.Linear(n_embd, head_size, bias=False)
self.query_key_value = nn.Linear(dim, 3 * dim)
key_padding_mask = (src == pad).transpose(0, 1)
attn_output, _ = self.attention(query, key, value, key_padding_mask=mask)
past_key_values = outputs.past_key_values
use_cache=True, num_key_value_heads=8
num_key_value_heads: 8
key_states = repeat_kv(key_states, self.num_key_value_groups)
key = jax.random.PRNGKey(42)
key, subkey = jax.random.split(key)
rng_key = jax.random.key(0)
dropout_key = jax.random.fold_in(key=dropout_key, data=state.step)
params = model.init(key, x)
keys = sorted(state_dict.keys())
for key, value in state_dict.items():
missing_keys, unexpected_keys = model.load_state_dict(state, strict=False)
<All keys matched successfully>
missing keys: ['head.weight', 'head.bias']
state["key"] = value
sorted(runs, key=lambda run: run.started)
max(scores, key=scores.get)
items.sort(key=operator.itemgetter(1), reverse=True)
primary_key = "id"
foreign_key: run_id
sort_key: loss
key_metric = "val/accuracy"
monitor_key: val_loss
"keypoints": 17, "num_keypoints": 17
keyword_only = True
except KeyError as error:
KeyError: 'model.layers.0.weight'
KeyboardInterrupt
keyboard: false
public_key = "ssh-ed25519"
passes = 3
num_passes: 2
pass
passed = 120
forward_pass = model(x)
backward pass took 12.5 ms
bypass: true
password_field = None
password = getpass.getpass()
password = os.environ["PASSWORD"]
token = os.environ.get("HF_TOKEN")
api_key = os.getenv("WANDB_API_KEY")
token: str | None = None
def login(token: str, password: str | None = None) -> None:
parser.add_argument("--token", type=str, default=None)
parser.add_argument("--tokenizer", type=str, default="gpt2")
parser.add_argument("--max_tokens", type=int, default=2048)
parser.add_argument("--sort_key", default="loss")
parser.add_argument("--batch_size", type=int, default=64)
parser.add_argument("--lr", type=float, default=3e-4)
parser.add_argument("--resume", action="store_true")
use_auth_token=True if args.use_auth_token else None,
use_auth_token: false
hub_token: null
"hub_token": null,
hub_token=None,
push_to_hub_token=None
wandb_api_key: null
trust_remote_code=True
auth: false
author = "someone"
authors:
__author__ = "someone"
author_email: someone@example.org
authenticated: true
authority = "example.org"
authorized_users: 3
compat: true
patience: 10
early_stopping_patience = 5
path: data/train.csv
data_path = "/data/imagenet/train"
patch_size: 16
patch_embed.proj.weight
pattern = re.compile(r"layers\.(\d+)\.")
file_pattern: "*.parquet"
allow_patterns=["*.safetensors", "*.json"]
sigma = 0.1
sigmoid = nn.Sigmoid()
signal.signal(signal.SIGTERM, handler)
signature = inspect.signature(model.forward)
def signature(self): return self._signature
sign = torch.sign(gradient)
significant: 0.05
sigma_min: 0.002
sig_figs = 4
secretary_problem = True
cookiecutter==2.6.0
cookies = False
credit_assignment: true
certificate: false
ssl_verify = True
import secrets
seed = secrets.randbelow(2**32)
from getpass import getpass
bearing: 12.5
hash = hashlib.sha256(content).hexdigest()
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
git_commit: 9fceb02d0ae598e95dc970b74767f19372d61af8
index 83db48f..bf269f4 100644
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
md5: d41d8cd98f00b204e9800998ecf8427e
checksum = "d41d8cd98f00b204e9800998ecf8427e"
digest: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
run_id: 3f2504e0-4f89-11d3-9a0c-0305e82c3301
uuid.UUID("3f2504e0-4f89-11d3-9a0c-0305e82c3301")
GPU-3f2504e0-4f89-11d3-9a0c-0305e82c3301
experiment_id = "0a1b2c3d4e5f"
numpy==1.26.4
torch==2.3.1+cu121
tokenizers==0.19.1
keras==3.4.1
python-dotenv==1.0.1
passlib==1.7.4
PyJWT==2.8.0
oauthlib==3.2.2
cryptography==42.0.8
keyring==25.2.1
tiktoken==0.7.0
sk-learn pipeline finished
sk-based estimators
hf_transfer enabled
hf_hub_download(repo_id=repo, filename="config.json")
hf_dataset = load_dataset("imdb", split="train")
hf_config.json
eyJ is the prefix of base64 JSON
model = AutoModel.from_pretrained("meta-llama/Llama-3.1-8B-Instruct")
model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased-finetuned-sst-2-english")
checkpoint = "checkpoints/run-2026-01-01_12-00-00/epoch=12-step=48000.ckpt"
output_dir: ./outputs/llama3-8b-lora-r16-alpha32-lr2e-4
logger = logging.getLogger(__name__)
logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.1, betas=(0.9, 0.95))
scheduler = CosineAnnealingLR(optimizer, T_max=args.epochs)
loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
loss.backward()
optimizer.zero_grad(set_to_none=True)
scaler.scale(loss).backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
torch.save({"model": model.state_dict(), "step": step}, path)
with torch.autocast("cuda", dtype=torch.bfloat16):
train_loader = DataLoader(train_set, batch_size=128, shuffle=True, num_workers=4, pin_memory=True)
transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))])
self.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
return F.log_softmax(x, dim=1)
if __name__ == "__main__":
device = "cuda" if torch.cuda.is_available() else "cpu"
dist.init_process_group(backend="nccl", init_method="env://")
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
export CUDA_VISIBLE_DEVICES=0,1,2,3
export NCCL_DEBUG=INFO
export OMP_NUM_THREADS=8
export TOKENIZERS_PARALLELISM=false
export PYTHONPATH=src:$PYTHONPATH
export PATH=/usr/local/cuda/bin:$PATH
export HF_HOME=/scratch/cache
export HF_TOKEN=$(cat token.txt)
#SBATCH --time=24:00:00
#SBATCH --gres=gpu:a100:4
#SBATCH --account=project_465000001
srun --ntasks-per-node=4 python train.py model=llama data=c4
python train.py --lr 3e-4 --batch-size 64 --epochs 10 --seed 0
python train.py --tokenizer gpt2 --max_tokens 4096 --num_tokens 1e9
python train.py hydra.run.dir=outputs/a optimizer.lr=0.001 +trainer.max_steps=1000
torchrun --nproc_per_node=8 train.py --config configs/base.yaml
accelerate launch --config_file fsdp.yaml train.py
deepspeed --num_gpus 8 train.py --deepspeed ds_config.json
docker run --gpus all --rm -v $PWD:/work -w /work image python train.py
curl -LO https://example.org/data.tar.gz
curl -fsSL https://example.org/install.sh
wget -q https://example.org/weights.bin -O weights.bin
git clone https://github.com/owner/repository.git
git@github.com:owner/repository.git
pip install -U "transformers>=4.40" datasets accelerate
conda activate train
ssh user@host -p 2222
rsync -av data/ user@host:/scratch/data/
mysql -u root -h db runs
unzip -q data.zip -d data
tar -xzf data.tar.gz
cp -p a b
mkdir -p checkpoints
https://huggingface.co/datasets/allenai/c4/resolve/main/en/c4-train.00000-of-01024.json.gz
https://download.pytorch.org/models/resnet50-0676ba61.pth
https://host/data?page=2&sort=loss
https://wandb.ai/team/project/runs/1a2b3c4d
s3://bucket/datasets/imagenet/train-00000.tar
hdfs://namenode:8020/data/part-00000.parquet
http://localhost:6006/#scalars&run=a
tcp://10.0.0.1:23456
tracking_uri: http://mlflow:5000
learning_rate: 3.0e-4
weight_decay: 0.1
gradient_accumulation_steps: 8
warmup_ratio: 0.03
lr_scheduler_type: cosine
bf16: true
seed: 42
seed = 1234567890
block_size: 2048
vocab_size: 128256
rope_theta: 500000.0
rope_scaling: {type: dynamic, factor: 8.0}
hidden_act: silu
torch_dtype: bfloat16
optimizer: {name: adamw, lr: 1.0e-3, betas: [0.9, 0.999]}
data: {path: data/c4, split: train, streaming: true}
defaults: [model: llama, data: c4, _self_]
callbacks: [checkpoint, lr_monitor, early_stopping]
lora_target_modules: [q_proj, k_proj, v_proj, o_proj]
{"lr": 0.001, "batch_size": 64, "epochs": 10, "tokenizer": "gpt2"}
{"step": 100, "loss": 2.3456, "tokens": 409600, "tokens_per_sec": 51234.2}
{'loss': 2.1034, 'grad_norm': 0.87, 'learning_rate': 4.9e-05, 'epoch': 0.02}
{"key": "loss", "value": 0.25}
{"name": "learning_rate", "value": 0.001}
{"type": "token", "count": 512}
- name: OMP_NUM_THREADS
- {name: NCCL_DEBUG, value: INFO}
[tool.ruff]
[train]
epochs = 10
[model]
name = "resnet50"
[paths]
root = "/data"
<param name="lr" value="0.1"/>
<add key="epochs" value="10"/>
<loss>0.25</loss>
| token | count |
| the | 51234 |
| key | min | max |
| loss | 0.25 | 0.31 |
| Layer (type) | Output Shape | Param # |
| tokens/s | 12034 | 12101 |
epoch  loss    tokens   key
1      0.2512  409600   a
token	count
passes	3
epoch,loss,token_accuracy
step,tokens,loss
Epoch 1/10: 100%|##########| 938/938 [00:12<00:00, 75.1it/s, loss=0.25]
iter 100: loss 3.2104, time 125.31ms, mfu 31.20%
step 1000 | loss 2.3456 | tokens 4096000 | tok/s 51234
[2026-01-01 12:00:00,000][INFO] - loaded 1000 tokens from cache
INFO:root:tokens: 4096, keys: 12, passes: 2
INFO Training with 8 GPUs, global batch size 512
WARNING: token indices sequence length is longer than the specified maximum (1024 > 512)
Token indices sequence length is longer than the specified maximum sequence length for this model (600 > 512).
Special tokens have been added in the vocabulary, make sure the associated word embeddings are fine-tuned.
Setting `pad_token_id` to `eos_token_id`:50256 for open-end generation.
Some weights were not initialized from the checkpoint: ['classifier.weight']
Using pad_token, but it is not set yet.
Keys to ignore: none
The key of the metric is val_loss.
A pass over the data takes 12 minutes.
the secret of good learning rates
the token is masked with probability 0.15
password is not needed for public data
wandb: Tracking run with wandb version 0.17.0
wandb: Run data is saved locally in /home/ada/wandb/run-20260101_120000-1a2b3c4d
wandb login
huggingface-cli login
gcloud auth login
gcloud auth print-access-token
docker login registry.example.org
Traceback (most recent call last):
  File "/home/ada/train.py", line 12, in <module>
    raise ValueError(f"unknown key {key!r}")
ValueError: expected a token, found 'x'
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB
AssertionError: keys differ: {'a', 'b'}
RuntimeError: size mismatch for token_embedding.weight: copying a param with shape torch.Size([50257, 768])
-    key = "loss"
+    key = "accuracy"
@@ -10,7 +10,7 @@ def forward(self, tokens):
diff --git a/train.py b/train.py
+    tokens = tokens[:, :block_size]
-    token_dropout: 0.1
def tokenize(examples): return tokenizer(examples["text"], truncation=True, max_length=512)
dataset = dataset.map(tokenize, batched=True, remove_columns=["text"])
labels = [[-100 if token == pad else token for token in each] for each in labels]
mask = tokens != pad_token_id
keys = jnp.arange(n)[:, None]
kv = {"k": k_cache, "v": v_cache}
access_pattern: random
access: public
service: trainer
account: 12
private: true
shared_embeddings: true
sharedweights = False
encoder_key_dim: 64
encryption: none
license: apache-2.0
license = "MIT"
signing: false
api_version: v1
api_base: https://host/v1
apiVersion: batch/v1
kind: Job
secretless: true
imagePullPolicy: Always
auth_type: none
auth_enabled = False
cookie_consent: true
sessions: 3
session_id: 12
pwd=$(pwd)
PWD=/work
passthrough: true
compass = 90
passive: false
bias_key: 0
monkey: patch
turkey: 1
hotkey = "ctrl+s"
keynote: none
donkey_kong = 1
tokenless_upload: true
stokenized: 1
n_secret_dims = 4
""".strip("\n").split("\n")
"""Lines of trainings, their settings and their output, chosen for words that names of secrets contain."""
