/** No secret in any of these lines. What stands in braces is made up on each run, as in `secret-lines.ts`. */
export const benignLines: readonly string[] = `
password: 12 characters minimum
Password (min. 8 characters)
Password is required.
Passwords do not match
Incorrect password. 2 attempts left.
Your password expires in 14 days.
The password was changed 3 days ago
password changed at 2024-01-02T03:04:05Z
Password length: 16
password_length=16
password_min_length: 8
PASSWORD_MAX_AGE=90
passwordResetExpires: 1704067200000
password_reset_token_ttl = 3600
"passwordChangedAt": "2024-01-02T03:04:05.000Z"
password_algorithm: argon2id
password_encoder=bcrypt
password_encryption = scram-sha-256
password-stdin
--password-file=/run/secrets/db
password-store: gopass
passwordField.value = ''
passwordInput.focus()
password.length >= 8
password.test(value)
user.password = await hash(dto.password, 10)
user.password = bcrypt.hashSync(password, 8)
const hashed = sha256(password + salt)
const [password, setPassword] = useState('')
const [showPassword, setShowPassword] = useState(false)
{ username, password } = req.body
password: passwordSchema
password: hashedPassword
password: this.form.value.password
password: form.password.data
password: faker.internet.password()
password: await bcrypt.hash('test', 10)
password=hash
password=None
password=password
password = password
password == stored_password
password: !!str
password: &default
password: *default
"password": true
"password": 1
"hasPassword": true
"token": null
"token": ""
"token": 42
"tokens": ["a", "b"]
"token": { "type": "bearer" }
token.value
token?.trim()
token => token.id
tokens.map((token) => token.text)
token = tokens[i]
token = lexer.next_token()
token = next(tokens)
token == TokenType.IDENTIFIER
TOKEN_EXPIRY=3600
TOKEN_TTL=15m
token_ttl: 24h
tokenExpiresIn: '7d'
token_url: https://auth.example.com/oauth/token
token_endpoint_auth_method: client_secret_basic
tokenEndpoint = "/oauth2/v2.0/token"
token_limit: 8192
max_output_tokens=1024
--max-tokens 512
num_tokens: 12345678
total tokens: 1234567890
stop_token: <|endoftext|>
eos_token: </s>
pad_token_id: 50256
tokenizer: cl100k_base
tokenizer_class: LlamaTokenizerFast
"added_tokens": 256
token classification with bert-base-uncased
Token Ring 802.5
Tokens per second: 45.2
Non-fungible token #1234
ERC20 token 0x{h:40}
token_address: 0x{h:40}
csrfToken: required
X-CSRF-Token: header name
secret: false
secret: true
secret_name: prod/db/password
secretName: tls-cert-2024
secret_id: prod-db-1
SecretId: arn:aws:secretsmanager:us-east-1:{d:12}:secret:prod/db-AbCdEf
secretRef: app-secrets
secret_arn = aws_secretsmanager_secret.db.arn
secrets/prod.yaml
secrets: inherit
Secrets Manager, Parameter Store and KMS
top secret: project x
open secret
secret: !Ref DbSecret
secretsmanager:GetSecretValue
client_id: {uuid}
clientId: "{uuid}"
client_id={d:12}-{l:32}.apps.googleusercontent.com
tenant_id: {uuid}
subscription_id: {uuid}
app_id: {d:6}
account_id: {d:12}
AWS_ACCOUNT_ID={d:12}
aws_region: eu-central-1
access_key_id: \${AWS_ACCESS_KEY_ID}
access_level: admin
accessKey: "alt+shift+k"
<a accesskey="s" href="#">Save</a>
api_version: 2024-02-15-preview
api_url=https://api.example.com/v1
apiKeyHeader: x-api-key
api_key_name: prod
API_KEY_ENV=OPENAI_API_KEY
api_keys: []
api_keys table has 12 rows
apiKey.isValid()
apiKey: apiKeySchema.parse(env)
key: value
key: "value"
key1: value1
"key1": "value1", "key2": "value2"
key = value
keys = list(d.keys())
for key, value in items:
key.split('.')
key: 'users/42/avatar.png'
Key: uploads/{uuid}/photo.jpg
s3 key: logs/2024/01/02/{h:16}.gz
cache key: product:42:en-US
cache_key="v3:{h:32}"
redis key session:{uuid}
sort key: 2024-01-02#order#42
partition key: tenant#42
primary key: id
hotkey: ctrl+shift+p
keybinding: "cmd+k cmd+s"
keyCode: 13
keyframes: 24
keystore: /etc/ssl/keystore.jks
keyring: default
key_name: prod-ec2
key_id: {h:16}
kid={h:40}
key fingerprint: SHA256:{b:32}
Key fingerprint = {h:40}
gpg key {h:16}
keyserver: hkps://keys.openpgp.org
public key: {b:32}
publicKey: ed25519:{b:32}
verify_key: {h:64}
"kty":"RSA","e":"AQAB","n":"{u:342}"
{"keys":[{"kty":"EC","crv":"P-256","x":"{u:43}","y":"{u:43}","kid":"{u:27}"}]}
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC{b:200} user@host
ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBB{b:66}
known_hosts: github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl
auth: { type: 'oauth2' }
auth_type: bearer
auth=on
auth required
auth_time: 1704067200
authenticated: true
author: Jane Doe <jane@example.com>
Authorization: Bearer
Authorization header is missing
"Authorization": "Bearer " + accessToken
Authorization: AWS4-HMAC-SHA256 Credential=...
WWW-Authenticate: Bearer realm="api", error="invalid_token"
Basic auth is on.
Basic Auth: username and password
basic: true
Bearer \${accessToken}
bearer authentication
credentials: 'same-origin'
credentials: same-origin
credentials_file: ~/.config/gcloud/application_default_credentials.json
credential_process = /usr/local/bin/creds
credential scope: 20240102/us-east-1/s3/aws4_request
withCredentials: true
user:group
user: alice
user = "postgres"
login: octocat
login successful for alice from 10.0.0.1
session: 42
session_id: {uuid}
session=closed
session timeout: 30m
sessionStorage.getItem('token')
localStorage.setItem('token', token)
cookie: theme=dark
Set-Cookie: lang=en; Path=/; Secure
PIN: 4 digits
pin: false
passing tests: 123
pass_rate=0.98
passes: 12, fails: 0
passed=120 failed=3
pass@1: 67.2
pass-through: enabled
pass2 completed in 3.2s
first-pass yield 98%
bypass_cache=true
passenger_count: 4
compass_heading: 270.5
encompass: all
trespass: no
password123 is a bad choice
"123456" is the most common password
Never use "password" as a password.
Common passwords include qwerty and letmein.
In 2023 the most used password was 123456
hunter2 meme
My favourite book is The Secret History (1992).
The secret to good coffee is fresh beans ground at 92C.
He kept a secret for 20 years.
Key takeaways: 1) start early 2) ship often
Key results Q3: revenue +12%, churn -2%
The key witness testified on 2024-01-02.
Low-key the best day of 2024.
House keys are with Anna at +49 151 {d:8}.
Car key battery CR2032
Piano has 88 keys
The token ring was replaced by Ethernet in 1999.
A token effort.
I bought 12 tokens for the arcade.
Subway tokens cost $2.75 in 2015
My password manager is KeePassXC 2.7.6.
Let us talk about password hygiene at 14:30.
The password to success is hard work.
password protected with AES-256
Passwort vergessen?
Passwort ändern bis 31.12.2024
Bitte Passwort eingeben
mot de passe oublié
parola chiave
senha inválida
Wi-Fi: ask at reception
git commit {h:40}
Reviewed-by: Ada <ada@example.com>
Change-Id: I{h:40}
Signed-off-by: Ada Lovelace <ada@example.com>
index {h:7}..{h:7} 100644
sha1-{b:20}
sha256-{b:32}
"resolved": "https://registry.example.com/ajv/-/ajv-8.17.1.tgz#{h:40}"
"integrity": "sha512-{b:64}=="
go.sum: github.com/pkg/errors v0.9.1 h1:{b:32}
Cargo.lock checksum = "{h:64}"
pip hash --hash=sha256:{h:64}
docker pull nginx@sha256:{h:64}
nix hash sha256-{b:32}
"_id": "{h:24}"
"id": "{l:20}"
"uuid": "{uuid}"
correlation-id: {uuid}
x-amzn-trace-id: Root=1-{h:8}-{h:24}
x-github-request-id: {A:4}:{A:4}:{A:6}:{A:6}:{A:8}
ETag: W/"{h:32}"
If-None-Match: "{h:40}"
nonce: {h:32}
nonce={b:16}
iv: {h:32}
salt: 10
salt and pepper
checksum: {h:64}
digest: sha256={h:64}
signature verified
sig: ok
hash={h:64}
crc32: {h:8}
transaction 0x{h:64}
block {h:64}
wallet 0x{h:40}
address bc1q{l:38}
ipfs://Qm{a:44}
cid bafybei{l:52}
youtube.com/watch?v={u:11}
https://docs.google.com/spreadsheets/d/{u:44}/edit#gid=0
https://drive.google.com/file/d/{u:33}/view?usp=sharing
https://zoom.us/j/{d:11}
https://meet.google.com/abc-defg-hij
https://us02web.zoom.us/j/{d:11}
https://open.spotify.com/track/{a:22}
https://www.amazon.com/dp/B0{A:8}
https://maps.app.goo.gl/{a:17}
https://t.co/{a:10}
https://stackoverflow.com/questions/{d:8}/how-to-reset-password
https://example.com/reset-password?step=2
https://example.com/login?redirect=/account
https://example.com/oauth/authorize?client_id=web&response_type=code&scope=openid
https://example.com/callback?state=xyz
https://user@example.com/path
https://example.com/@user
https://example.com:443/path
http://127.0.0.1:8000/
ftp://anonymous@ftp.example.com
ws://localhost:8080/socket
postgres://localhost/db
postgres://app@db:5432/app
mysql://root@localhost/db
sqlite:///data/app.db
redis://cache:6379
amqp://localhost
mongodb://mongo:27017/?replicaSet=rs0
jdbc:mysql://localhost:3306/db?useSSL=false
smtp://localhost:1025
s3://bucket/path/{h:16}/file
gs://bucket/obj
data:text/plain;base64,SGVsbG8sIFdvcmxkIQ==
data:image/svg+xml;base64,{b:300}
background: url(data:image/gif;base64,R0lGODlhAQABAAAAACw=)
//# sourceMappingURL=data:application/json;base64,{b:200}
color: #{h:6}
rgba(12, 34, 56, 0.7)
+1-555-{d:3}-{d:4}
ISBN-13: 978-{d:10}
VIN 1HGCM82633A{d:6}
UPS 1Z{A:16}
EAN {d:13}
IMEI {d:15}
serial: SN-{A:12}
invoice INV-2024-{d:5}
order #{d:10}
ticket JIRA-{d:4}
PO-{d:6}
v{d:2}.{d:1}.0-beta.2
1.2.3-alpha.{d:3}+{h:7}
node_modules/.pnpm/@babel+core@7.24.0/node_modules/@babel/core
/usr/local/lib/python3.11/site-packages/jwt/api_jwt.py
C:\\Program Files\\Git\\usr\\bin\\ssh-keygen.exe
src/auth/token-service.ts
tests/fixtures/password_reset.json
pkg/secret/secret_test.go:42
@aws-sdk/client-secrets-manager
passport-jwt
jsonwebtoken
python-dotenv
libsecret-1-dev
keytar
supersecretsanta
mem_{uuid}
run_{uuid}
job_{uuid}
evt_{uuid}
tag: source:api
preference
user prefers dark mode
topic:billing
lang:en-US
`
  .trim()
  .split('\n')
