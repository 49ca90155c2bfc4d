/** Sentences about secrets, without any. */
export const aboutSecrets: readonly string[] = `
I forgot my password again.
The token is valid for an hour.
The token is valid for 3600 seconds.
password: required
Password: required, at least 12 characters
Password must be at least 8 characters long and contain one digit.
The password is case-sensitive.
The password is base64-encoded before it is sent.
Passwords are hashed with SHA256 and a salt.
passwords are stored as argon2id hashes
My password is too weak, says the checker.
Her password is the name of her dog.
The password is stored in the vault.
The password is in the usual place.
Please reset my password.
She changed the password on 2024-05-01.
Reset password link expires in 24h.
password reset: see ticket OPS-1234
The API key is missing.
The api key is invalid or expired.
An API key is required for this endpoint.
API key rotation happens every 90 days.
Rotate the access key every 90-days.
The access token expires after 15 minutes.
access token: short-lived, refresh token: long-lived
Token based authentication is enabled.
token: JWT signed with RS256
The secret is to knead the dough for 10 minutes.
The secret is out: they won 3-2.
Her secret: two eggs and 200g of sugar.
secret santa: budget 20 euros
The key is under the mat.
The key is to start early.
The key: patience and 10000 hours of practice
key: C major, tempo: 120bpm
Answer key: 1b 2c 3a 4d
Press the Enter key to continue.
The primary key is user_id.
the public key is pinned in the app
Use a password manager such as 1Password.
password manager: Bitwarden v2024.6.2
Two-factor: password + TOTP
Log in with your username and password.
username/password login was removed in v2.3
Basic authentication is deprecated.
Basic understanding of calculus is expected.
The bearer of this letter is my brother.
Bearer authentication uses the Authorization header.
Bearer tokens are described in RFC 6750.
bearer bonds are rare nowadays
Authorization: see section 4.2 of the manual
Authorization: required
The Authorization header was missing.
Content-Type: application/json; charset=utf-8
Credentials: include
credentials are checked by the gateway
The credentials file is at ~/.aws/credentials
My PIN is private.
OAuth2 tokens are opaque strings.
oauth2 token endpoint: /oauth/token
The token endpoint is https://auth.example.com/oauth2/token
The max number of tokens is 4096.
The prompt used 1532 tokens and the answer 210 tokens.
tokens: 128000
It costs $3 per million tokens.
The tokenizer splits words into tokens.
A session token was issued to user 42.
Session: 2024-05-01 morning
The secretary keeps the minutes.
He passed the exam with 85 points.
pass: 12, fail: 3
pass rate: 98.5%
12 passed, 1 failed, 3 skipped in 4.2s
boarding pass: seat 14C gate B22
passport number goes in field 7
Passengers: 148
The mountain pass is closed until May.
compass: 270 degrees
bypass: true
passive: false
passenger: Ada Lovelace
The keyboard has 104 keys.
keynote: 10:30 in hall B
keywords: memory, provenance, agents
monkey: 3, donkey: 5
turkey: 4.5kg, 180 minutes
hockey: 3:2 after extra time
Key: value pairs are stored as strings.
key=value
foo=bar&key=value
The seed phrase must never be stored.
seed: 42
recovery: 2 weeks of rest
Mnemonic devices help you remember.
Ada's login was at 10:32 this morning.
login: 3 attempts failed
last login: Tue Mar 5 10:32:11 2024
User: ada / Role: admin
user / group: ada / staff
The user password field is called pwd.
PIN, password and token are all secrets.
He said: "the password?" and laughed.
Set the password with the admin tool.
What is the password for?
Do not send passwords by mail.
She uses the same password everywhere.
I updated the password policy: length 14, history 24.
Password policy: min 14, max 128, history 5
Password strength: weak
Password hint: first pet
password_hint: name of first pet
password protected PDF (2.3 MB)
passwordless login ships in Q3
The WiFi password is on the router.
Enter the 6-digit code from your phone.
private key files end in .pem or .key
-----BEGIN PRIVATE KEY----- marks the start of a PEM block.
if line starts with "-----BEGIN RSA PRIVATE KEY-----" then stop
A PEM file starts with BEGIN and ends with END.
ssh keys are in ~/.ssh/id_ed25519
Import the key from keys/server.pem
The signing key is an Ed25519 key.
The encryption key is derived with HKDF-SHA256.
encryption: AES-256-GCM
cipher: TLS_AES_256_GCM_SHA384
The license key is printed on the box.
Her secret ingredient is cardamom.
client secret: ask Bob
client_secret: required
client_secret (string, required): the secret of your application
api_key (string): your API key
access_key: string
token: string
secret: string
"password": "string"
"token": "string"
"type": "password"
<input type="password" name="password" placeholder="Password">
<label for="password">Password</label>
type=password
input[type=password] { border: 1px solid #ccc }
The auth service returns 401 for a wrong token.
auth: basic
auth: none
auth_mode: oauth2
authentication: true
author: Ada Lovelace
authority: 10
We moved the secrets to the vault: no more env files.
secrets: none
The token bucket refills at 10 tokens per second.
next page token: none
I like the token economy in that game.
She collects tram tokens.
A token of appreciation: flowers.
Chapter 3: The Secret Garden
The Da Vinci Code, page 123
Use environment variables for secrets, see docs/configuration.md
Never commit .env files.
We use Stripe (live mode) and test cards such as 4242 4242 4242 4242.
He speaks of risk-averse task-force members.
desk-top and disk-space are fine
The sk-etch was nice.
Her task-list-for-monday is long.
`
  .trim()
  .split('\n')

/** What stands where a secret belongs. */
export const placeholders: readonly string[] = `
password=<your-password>
password=<password>
password=YOUR_PASSWORD
password=your_password_here
password: changeme
password: change-me
PASSWORD=CHANGE_ME
password=********
password=••••••••
password: xxxxxxxx
password=xxxx
password = "..."
password: ""
password:
password=
password=null
"password": null
"password": "********"
"password": "<redacted>"
"password": "[hidden]"
password: \${DB_PASSWORD}
DB_PASSWORD=\${DB_PASSWORD}
DB_PASSWORD=$DB_PASSWORD
DB_PASSWORD=$(cat /run/secrets/db)
PASSWORD=%PASSWORD%
password: {{ db_password }}
password: {{ .Values.db.password | quote }}
password: #{db_password}
password: @db.password@
password: !secret wifi_password
password: !vault db_password
password_file: /run/secrets/db_password
POSTGRES_PASSWORD_FILE=/run/secrets/postgres
api_key=YOUR_API_KEY
api_key: <YOUR_API_KEY>
api_key: "your-api-key-here"
apiKey: process.env.API_KEY
apiKey: process.env.OPENAI_API_KEY!
apiKey: import.meta.env.VITE_API_KEY
api_key = os.environ["OPENAI_API_KEY"]
api_key=os.getenv("API_KEY")
api_key: ENV['API_KEY']
api_key: \${{ secrets.API_KEY }}
token: \${{ secrets.GITHUB_TOKEN }}
GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
token: $CI_JOB_TOKEN
token=<token>
token=TOKEN
token: "<access-token>"
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer \${token}
Authorization: Bearer YOUR_ACCESS_TOKEN
Authorization: Bearer {access_token}
Authorization: Basic <credentials>
Authorization: Basic <base64(user:password)>
Authorization: Token <your token>
Authorization: ApiKey YOUR_API_KEY
-H "Authorization: Bearer $API_TOKEN"
-H "x-api-key: $ANTHROPIC_API_KEY"
curl -u user:password https://api.example.com
curl -u $USER:$PASS https://api.example.com
curl -u "<user>:<password>" https://api.example.com
postgres://user:password@localhost:5432/db
postgres://user:<password>@host/db
postgresql://\${DB_USER}:\${DB_PASSWORD}@\${DB_HOST}:5432/app
mysql://user:pass@localhost/db
mongodb://<username>:<password>@cluster0.mongodb.net/test
mongodb://localhost:27017/app
redis://localhost:6379/0
redis://:password@localhost:6379
amqp://guest:guest@localhost:5672
https://user:password@example.com
https://$USER:$TOKEN@github.com/acme/app
sk-xxxxxxxxxxxxxxxxxxxxxxxx
sk-XXXXXXXXXXXXXXXXXXXXXXXX
sk-proj-xxxxxxxxxxxxxxxxxxxx
sk-...
sk-your-api-key-here
sk-ant-...
OPENAI_API_KEY=sk-...
OPENAI_API_KEY=sk-your-key
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
ghp_...
xoxb-your-token-here
xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx
AKIAXXXXXXXXXXXXXXXX
AIzaXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX
aws_secret_access_key = YOUR_SECRET_KEY
aws_secret_access_key=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
client_secret: my-client-secret
client_secret=\${CLIENT_SECRET}
client_secret: "string"
secret: my-secret
secret: mysecret
secret=secret
SECRET_KEY=dev
SECRET_KEY = config("SECRET_KEY")
SECRET_KEY = env("SECRET_KEY")
SECRET_KEY_BASE=<run rails secret>
JWT_SECRET=replace-me
JWT_SECRET=your-256-bit-secret
ENCRYPTION_KEY=<32 bytes base64>
private_key: <path to key>
private_key: ./keys/server.pem
PRIVATE_KEY_PATH=/etc/ssl/private/server.key
ssl_key: /etc/nginx/ssl/server.key
-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----
-----BEGIN RSA PRIVATE KEY-----\n<your key here>\n-----END RSA PRIVATE KEY-----
vault:secret/data/db#password
password: vault:secret/data/app#db_password
password: op://vault/db/password
password: arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf
secretName: app-credentials
secretKeyRef: { name: app-credentials, key: db-password }
existingSecret: postgres-credentials
imagePullSecrets: [registry-credentials]
[REDACTED:db-password] stays
password=[REDACTED:password]
"token":"[REDACTED:github-token]"
postgres://app:[REDACTED:database-url]@db/app
`
  .trim()
  .split('\n')
