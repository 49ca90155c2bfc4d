/**
 * One secret a line, as people and programs write them down. What stands in braces is made up on each run: hex,
 * letters and digits, base64 and so on, with a length. The last one of a line is the secret.
 */
export const secretLines: readonly string[] = `
my openai key is sk-{a:48}
use sk-ant-api03-{u:93}AA please
Authorization: Bearer {jwt}
"authorization":"Bearer {a:40}"
x-api-key: {a:40}
X-API-KEY={u:32}
apikey={h:32}
?apikey={a:24}&q=1
&key=AIzaSy{u:33}
https://maps.googleapis.com/maps/api/js?key=AIzaSy{u:33}&libraries=places
https://api.openweathermap.org/data/2.5/weather?q=London&appid={h:32}
https://api.service.com/v1/data?api_key={a:32}
https://api.service.com/v1/data?token={h:40}
wss://stream.service.com/?auth={a:32}
postgresql+psycopg2://app:{pw}@db/app
postgres://postgres:{a:16}@db.abcdefghij.supabase.co:5432/postgres
mysql+pymysql://root:{pw}@127.0.0.1/db
mongodb://admin:{a:20}@mongo1:27017,mongo2:27017/?replicaSet=rs0
redis://default:{a:32}@redis-12345.c1.us-east-1.ec2.cloud.redislabs.com:12345
rediss://:{b:32}@my.redis.cache.windows.net:6380
amqp://user:{pw}@rabbit:5672/vhost
mssql://sa:{pw}@sql:1433/master
ldap://cn=admin:{pw}@ldap.internal
sftp://ada:{pw}@files.internal:22/home
smtp://apikey:SG.{u:22}.{u:43}@smtp.sendgrid.net:587
https://{h:40}@github.com/acme/app.git
https://oauth2:glpat-{u:20}@gitlab.com/acme/app.git
cloudinary://{d:15}:{u:27}@acme
snowflake://ada:{pw}@acct/db
elasticsearch: https://elastic:{a:24}@es.internal:9243
DATABASE_URL="mysql://planet:pscale_pw_{u:43}@aws.connect.psdb.cloud/db?sslaccept=strict"
SENTRY_AUTH_TOKEN=sntrys_eyJpYXQiOjE2{u:120}_{u:43}
SLACK_SIGNING_SECRET={h:32}
slack_signing_secret: {h:32}
STRIPE_WEBHOOK_SECRET=whsec_{a:32}
NEXTAUTH_SECRET={b:32}
AUTH_SECRET="{b:33}"
COOKIE_SECRET: '{u:43}'
APP_SECRET={h:32}
FLASK_SECRET_KEY = b'{a:24}'
app.secret_key = '{a:24}'
app.config['SECRET_KEY'] = '{a:30}'
config.secret_key = "{h:64}"
secretKey: "{a:40}",
"secretAccessKey": "{b:30}"
AWS_SESSION_TOKEN=FwoGZXIvYXdzE{b:200}
{"AccessKeyId":"ASIA{B32:16}","SecretAccessKey":"{b:30}","Token":"IQoJb3JpZ2luX2Vj{b:300}"}
AZURE_CLIENT_SECRET={a:3}8Q~{a:34}
AZURE_OPENAI_API_KEY={h:32}
AZURE_COSMOS_KEY={b:64}
AccountEndpoint=https://a.documents.azure.com:443/;AccountKey={b:64};
DefaultEndpointsProtocol=https;AccountName=a;AccountKey={b:64}
InstrumentationKey={uuid};IngestionEndpoint=https://x/
"client_secret":"GOCSPX-{u:28}"
{"refresh_token":"1//0g{u:80}"}
{"access_token":"ya29.{u:150}","expires_in":3599}
{"access_token": "{u:64}", "token_type": "Bearer"}
{"id_token":"{jwt}"}
{"refresh_token":"{uuid}"}
FIREBASE_TOKEN=1//0{u:60}
HUBSPOT_API_KEY={uuid}
INTERCOM_TOKEN=dG9rOj{b:40}
MAILCHIMP_API_KEY={h:32}-us12
MAILGUN_API_KEY={h:32}-{h:8}-{h:8}
SENDINBLUE_KEY=xkeysib-{h:64}-{a:16}
TWILIO_AUTH_TOKEN={h:32}
twilio sid AC{h:32} auth token {h:32}
TELEGRAM_BOT_TOKEN={d:9}:AA{u:33}
DISCORD_TOKEN=MTE{a:21}.G{a:5}.{u:38}
GITHUB_TOKEN=ghp_{a:36}
git clone https://ghp_{a:36}@github.com/a/b
GL_TOKEN: glpat-{u:20}
//registry.example.com/:_authToken=npm_{a:36}
[pypi]\\N  username = __token__\\N  password = pypi-AgEIcHlwaS5vcmc{u:100}
docker login -u ada -p dckr_pat_{u:27}
echo "{pw}" | sudo -S apt update # sudo password: {pw}
sudo password is {pw}
root password: {pw}
admin/{pw} are the admin credentials: admin/{pw}
the login is admin and the password is {pw}
username: ada, password: {pw}
user=ada password={pw} host=db
user: ada; pass: {pw};
uid=ada;pwd={pw};
pw={pw}
passwd: {pw}
my passphrase is {pw}
wifi: SSID=Home PSK={pw}
wpa_passphrase={pw}
psk="{pw}"
requirepass {pw}
--requirepass {pw}
PASS={pw}
DB_PASS={pw}
DBPASSWORD={pw}
db.password={pw}
database.password = {pw}
jenkins.password: {pw}
ansible_become_pass: {pw}
vault_password: {pw}
keystore.password={pw}
keyPassword "{pw}"
signing.keyPassword={pw}
ssl.keystore.password={pw}
hibernate.connection.password={pw}
<property name="hibernate.connection.password">{pw}</property>
<Password>{pw}</Password>
<add key="ApiKey" value="{a:32}" />
<connectionStrings><add name="x" connectionString="Server=s;User Id=u;Password={pw};" /></connectionStrings>
net user ada {pw} /add
New-Object PSCredential('ada', (ConvertTo-SecureString '{pw}' -AsPlainText -Force))
$password = "{pw}"
$env:API_KEY = "{a:32}"
set API_KEY={a:32}
setx API_KEY "{a:32}"
String apiKey = "{a:32}";
private const val API_KEY = "{a:32}"
let apiKey: String = "{a:32}"
static let token = "{a:40}"
#define API_KEY "{a:32}"
API_KEY := {a:32}
apiKey => '{a:32}'
api-key: {a:32}
"api-key" : "{a:32}"
api.key={a:32}
Api-Token: {a:32}
token="{a:32}"
token {h:40}
TOKEN={h:64}
access_token={a:64}
accessToken: '{a:64}'
bearer_token: {a:50}
auth_token = {h:32}
authToken="{uuid}"
csrf_token=...; session_token={a:43}
sessionid={l:32}
Cookie: session={jwt}
Cookie: connect.sid=s%3A{u:32}.{u:43}
Set-Cookie: auth={b:40}; HttpOnly
oauth_token_secret="{a:40}"
consumer_secret = {a:50}
consumer_key={a:25}
twitter bearer AAAAAAAAAAAAAAAAAAAAA{a:80}
fb token EAAG{a:150}
heroku auth:token HRKU-AA{u:58}
CF_API_TOKEN={u:40}
CLOUDFLARE_API_TOKEN="{u:40}"
DO_TOKEN=dop_v1_{h:64}
vault token hvs.CAESI{u:90}
VAULT_TOKEN=s.{a:24}
consul_http_token={uuid}
NOMAD_TOKEN={uuid}
terraform token {a:14}.atlasv1.{a:67}
k8s token: {jwt}
kubectl config set-credentials x --token={jwt}
token: {l:6}.{l:16}
grafana key eyJrIjoi{a:80}
DD_API_KEY={h:32}
NEW_RELIC_LICENSE_KEY={h:36}NRAL
PAGERDUTY_TOKEN={u:20}
SNYK_TOKEN={uuid}
SONAR_TOKEN=sqp_{h:40}
CODECOV_TOKEN={uuid}
ALGOLIA_ADMIN_KEY={h:32}
MAPBOX_TOKEN=sk.eyJ1Ijoi{a:70}.{u:22}
PLAID_SECRET={h:30}
SQUARE_ACCESS_TOKEN=EAAA{u:60}
PAYPAL_CLIENT_SECRET=E{u:79}
ADYEN_API_KEY=AQEyhmfxK{b:60}
SHOPIFY_API_SECRET=shpss_{h:32}
ZOOM_CLIENT_SECRET={a:32}
OKTA_CLIENT_SECRET={u:40}
AUTH0_CLIENT_SECRET={u:64}
LINKEDIN_CLIENT_SECRET={a:16}
OPENROUTER_API_KEY=sk-or-v1-{h:64}
MISTRAL_API_KEY={a:32}
COHERE_API_KEY={a:40}
HF_TOKEN=hf_{L:34}
REPLICATE_API_TOKEN=r8_{a:37}
PINECONE_API_KEY={uuid}
WANDB_API_KEY={h:40}
LANGCHAIN_API_KEY=ls__{h:32}
GROQ_API_KEY=gsk_{a:52}
ELEVEN_API_KEY={h:32}
DEEPGRAM_API_KEY={h:40}
VOYAGE_API_KEY=pa-{a:43}
[Interface]\\NPrivateKey = {b:32}\\NAddress = 10.0.0.2/32
PresharedKey = {b:32}
private key: 0x{h:64}
ETH_PRIVATE_KEY={h:64}
bitcoin wif 5{a:50} private key: 5{a:50}
TOTP secret: {B32:32}
otp_secret={B32:16}
license key: {A:5}-{A:5}-{A:5}-{A:5}-{A:5}
curl -X POST -u 'ada:{pw}' https://x
curl --user ada:{pw} https://x
curl -H "X-Vault-Token: hvs.{a:24}" https://vault
curl -H 'PRIVATE-TOKEN: glpat-{u:20}' https://gitlab
curl "https://x/y" -H 'apikey: {a:40}'
http POST x Authorization:"Token {h:40}"
wget --user=ada --password={pw} https://x
mysql -uroot -p'{pw}' db
mysqldump -u root --password='{pw}' db
psql postgresql://ada:{pw}@localhost/db
sqlcmd -S host -U sa -P {pw}
mongo -u ada -p {pw} --authenticationDatabase admin
redis-cli -a {pw}
sshpass -p {pw} ssh x@y
openssl enc -aes-256-cbc -k {pw}
openssl rsa -passin pass:{pw} -in key.pem
7z x archive.7z -p{pw}
zip -P {pw} out.zip in
smbclient //host/share -U ada%{pw}
xfreerdp /u:ada /p:{pw} /v:host
az login -u ada -p {pw}
gcloud auth activate --password {pw}
aws configure set aws_secret_access_key {b:30}
heroku config:set API_KEY={a:32}
kubectl create secret generic x --from-literal=password={pw}
helm install x --set auth.password={pw}
terraform apply -var "db_password={pw}"
docker run -e POSTGRES_PASSWORD={pw} postgres
The new database password will be {pw} from Monday.
Please note the password: "{pw}"
Password -> {pw}
password >> {pw}
Password – {pw}
PASSWORD {pw}
Passwort: {pw}
Kennwort={pw}
contraseña: {pw}
mot de passe : {pw}
senha: {pw}
密码: {pw}
密码是 {pw}
パスワード：{pw}
пароль: {pw}
hasło: {pw}
wachtwoord: {pw}
`
  .trim()
  .split('\n')
