/** Programs, configuration, logs and commit messages that speak of secrets and hold none. */
export const code: readonly string[] = `
const token = await getToken()
const token = await getToken({ scope: 'read' })
const password = await prompt('Password: ')
const password = req.body.password
const { password, ...rest } = user
let token = null
let token = ''
var secret = undefined
this.token = token
this.password = password;
self.password = password
self._token = token or self._load_token()
password = input("Password: ")
password = getpass.getpass()
password = os.environ.get("DB_PASSWORD")
password = config['database']['password']
password = settings.DATABASE_PASSWORD
password = user.password_digest
password = hash_password(password, rounds=12)
password := r.FormValue("password")
password := os.Getenv("DB_PASSWORD")
token := strings.TrimPrefix(header, "Bearer ")
token, err := jwt.Parse(raw, keyFunc)
token = authenticate_with_http_token { |token, options| token }
token = secrets.token_hex(32)
token = crypto.randomBytes(32).toString('hex')
secret = SecureRandom.hex(64)
String password = System.getenv("DB_PASSWORD");
String token = request.getHeader("Authorization");
private String password;
private readonly string _apiKey;
public string Password { get; set; }
password: string
password: str
password: Optional[str] = None
password?: string
token: string | null
token: Promise<string>
apiKey: string;
api_key: SecretStr
password: z.string().min(8)
password: z.string().min(12).max(128)
password: Joi.string().required()
password: { type: String, required: true }
password: { type: 'string', minLength: 8 }
password VARCHAR(255) NOT NULL
password_hash CHAR(60) NOT NULL
api_key TEXT UNIQUE
token_type: bearer
"token_type": "Bearer",
"token_type": "bearer", "expires_in": 3600
"tokenCount": 1532
"max_tokens": 4096
"max_tokens": 4096, "temperature": 0.7
"prompt_tokens": 120, "completion_tokens": 33
"total_tokens": 153
"nextPageToken": "CAUQAA"
"next_token": "page-2"
"keyId": "projects/acme/locations/eu/keyRings/r/cryptoKeys/k"
"key": "Enter"
"key": "ArrowDown"
"key": "user:1234:profile"
"key": "uploads/2024/05/photo-1234.jpg"
"key": "common.buttons.save"
{ key: 'name', label: 'Name' }
<Item key={item.id} label="x" />
<li key="row-12">
key={\`row-\${index}\`}
cacheKey: \`user:\${id}:v2\`
cache_key = f"user:{user_id}:v2"
primary_key = True
PRIMARY KEY (tenant_id, id)
FOREIGN KEY (user_id) REFERENCES users(id)
public_key = load_pem(path)
partition_key: "tenant_id"
sort_key: created_at
idempotency_key: 01a1df38-ac77-7ced-af6d-875d2e6e4c80
Idempotency-Key: 01a1df38-ac77-7ced-af6d-875d2e6e4c80
routingKey: orders.created.v1
keyboard.onKeyPress = handler
if (password === confirmPassword) return true
if (!token) throw new Error('token missing')
if (apiKey.length < 20) throw new Error('too short')
if token != expected_token:
assert password != ""
return res.status(401).json({ error: 'invalid token' })
throw new UnauthorizedError("Token expired at 2024-05-01T10:00:00Z")
headers: { Authorization: \`Bearer \${token}\` }
headers["Authorization"] = "Bearer " + token
headers={'Authorization': f'Bearer {token}'}
req.headers.authorization?.split(' ')[1]
axios.defaults.headers.common['Authorization'] = token
app.use(passport.initialize())
passport.use(new LocalStrategy(verify))
import { createToken } from './token.ts'
import secrets
from django.contrib.auth.hashers import make_password
require 'devise/token_authenticatable'
jwt.verify(token, process.env.JWT_SECRET)
jwt.sign(payload, secret, { expiresIn: '1h' })
bcrypt.hash(password, 10)
bcrypt.compare(password, user.passwordHash)
await vault.read('secret/data/app')
const secret = await secretsManager.getSecretValue({ SecretId: 'db' })
export const API_KEY = process.env.API_KEY ?? ''
export API_KEY=$(vault kv get -field=key secret/app)
export TOKEN=$(gcloud auth print-access-token)
TOKEN="$(cat token.txt)"
password="$(openssl rand -hex 16)"
PASSWORD=$1
read -s password
echo "$PASSWORD" | docker login --password-stdin
docker run -u 1000:1000 -p 8080:80 app
docker run --user 1000:1000 app
chown -R ada:staff /srv
rsync -a ada@host:/srv/data ./data
ssh -i ~/.ssh/id_ed25519 ada@10.0.0.5
scp -P 2222 file.txt ada@host:/tmp/
mysql -u root -p app
mysql -h db -P 3306 -u ada -p
psql -h db -p 5432 -U ada app
psql "host=db port=5432 user=ada"
curl -fsSL https://get.example.com | sh
curl -X POST -d '{"a":1}' https://api.example.com/v1/items
kubectl get secret app-credentials -o yaml
kubectl create secret generic app --from-file=key=./key.pem
openssl genrsa -out key.pem 4096
openssl rand -base64 32
ssh-keygen -t ed25519 -C "ada@example.com"
gpg --armor --export-secret-keys ada > ada.asc
npm token list
npm config set //registry.example.com/:_authToken=\${NPM_TOKEN}
git config credential.helper store
aws configure set aws_access_key_id $AWS_ACCESS_KEY_ID
terraform apply -var="password=$DB_PASSWORD"
variable "db_password" { type = string }
db_password = var.db_password
password = random_password.db.result
api_key = data.vault_generic_secret.app.data["api_key"]
SELECT id, password_hash FROM users WHERE email = $1
UPDATE users SET password = $1 WHERE id = $2
ALTER USER ada WITH PASSWORD :'password';
GRANT ALL ON app.* TO 'ada'@'%';
def test_password_reset_token_expires_after_24_hours(self):
test('token is refreshed when it expires', async () => {
it('rejects a password without digits', () => {
describe('TokenBucket', () => {
test_payment_live_mode_is_rejected_by_default
live_reload_server_started_on_port_3000_successfully
class PasswordResetTokenGenerator:
function validatePassword(password: string): boolean {
fn verify_token(token: &str) -> Result<Claims, Error> {
func (s *Server) Login(user, password string) error {
public boolean checkPassword(String password) {
@Value("\${spring.datasource.password}")
spring.datasource.password=\${DB_PASSWORD}
<property name="password" value="\${db.password}"/>
<password>\${env.PASSWORD}</password>
<password></password>
ENV NODE_ENV production
ARG TOKEN
ENV API_KEY=""
- name: API_KEY
  valueFrom: { secretKeyRef: { name: app, key: api-key } }
.sk-fading-circle .sk-circle-before { animation: sk-fade 1s }
<div class="sk-chasing-dots-container">
[data-token="primary-button-color"] { color: #1a2b3c }
--color-token-primary: #ff8800;
tokens: { spacing: '8px', radius: '4px' }
cy.get('[name=password]').type(password)
page.getByLabel('Password').fill(password)
fields: ["username", "password", "email"]
columns = ['id', 'token', 'created_at']
permit(:email, :password, :password_confirmation)
params.require(:user).permit(:password)
filter_parameters += [:password, :token, :secret]
redact: ['req.headers.authorization', 'password']
errors.add(:password, "is too short (minimum is 8 characters)")
"password": ["This field is required."]
{"error":"invalid_token","error_description":"The access token expired"}
{"level":"info","msg":"token refreshed","user":42,"ms":12}
[auth] token cache: 12 hits, 3 misses
2024-05-01T10:00:00Z WARN password attempt 3 of 5 for user 42
GET /oauth/token 200 12ms
POST /v1/tokens 201 8ms
feat(auth): rotate the access token every 15 minutes (#1234)
fix: password reset mail is sent twice
fix(token): off-by-one in expiry check, closes #88
chore: bump jsonwebtoken from 9.0.0 to 9.0.2
docs: explain how to create an API key
refactor: move secret handling to src/vault
test: add cases for bearer tokens
revert "feat: api key scopes" (9fceb02d0a)
Merge branch 'feature/password-policy-v2' into main
Bump @types/passport from 1.0.12 to 1.0.16
security: hash tokens with sha256 before storing
perf: cache tokenizer, 3.2x faster
`
  .trim()
  .split('\n')

export const longer: readonly string[] = [
  'apiVersion: v1\nkind: Secret\nmetadata:\n  name: app-credentials\n  namespace: prod\ntype: Opaque\n',
  'services:\n  db:\n    image: postgres:16\n    environment:\n      POSTGRES_USER: app\n      POSTGRES_PASSWORD: ${POSTGRES_PASSWORD}\n',
  'name: ci\non: [push]\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n        with: { token: "${{ secrets.GITHUB_TOKEN }}" }\n',
  '{\n  "name": "colophon",\n  "version": "0.1.0",\n  "dependencies": { "jsonwebtoken": "^9.0.2", "passport": "0.7.0" }\n}',
  'openapi: 3.1.0\ncomponents:\n  securitySchemes:\n    apiKey: { type: apiKey, in: header, name: X-API-Key }\n',
  'We talked about passwords today. Ada prefers a manager; Bob writes them down.\nNext: decide on tokens by Friday.',
  '## Authentication\n\nSend your API key in the `X-API-Key` header. Keys are created under *Settings > API keys*.\n',
  'Options:\n  --password <value>  password of the user\n  --token <value>     access token\n  --api-key <key>     API key\n',
  'usage: tool [--password PASSWORD] [--token TOKEN] [--api-key KEY]',
  'Error: 401 Unauthorized\n    at verifyToken (/app/src/auth/token.ts:42:11)\n    at async handler (/app/src/http/routes.ts:101:3)',
  'Q: How do I reset my password?\nA: Open Settings, choose Security, then Reset password.',
  'Token usage by model:\n| model | tokens |\n|---|---|\n| small | 120000 |\n| large | 45000 |',
  '| field | type | required |\n|---|---|---|\n| password | string | yes |\n| token | string | no |',
  '[default]\nregion = eu-west-1\noutput = json\n',
  'machine api.internal login ada\n',
]
