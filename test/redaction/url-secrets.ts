import type { Generator } from './generator.ts'
import type { Planted } from './secret-settings.ts'

/** Addresses that are secrets, and headers that carry them. */
export function urlSecrets(g: Generator): Planted[] {
  const plant = (kind: string, secret: string, write: (secret: string) => string): Planted => ({
    kind,
    secret,
    text: write(secret),
  })
  return [
    plant(
      'slack webhook',
      g.alnum(24),
      (s) => `https://hooks.sl${'ack.com'}/services/T${g.upperAlnum(8)}/B${g.upperAlnum(10)}/${s}`,
    ),
    plant(
      'discord webhook',
      g.url64(68),
      (s) => `post to https://discord${'.com'}/api/webhooks/${g.digits(18)}/${s} please`,
    ),
    plant(
      'discord app webhook',
      g.url64(68),
      (s) => `"url":"https://discordapp${'.com'}/api/webhooks/${g.digits(18)}/${s}"`,
    ),
    plant(
      'teams webhook',
      g.hex(32),
      (s) => `https://acme.webhook.off${'ice.com'}/webhookb2/${g.uuid()}@${g.uuid()}/IncomingWebhook/${s}/${g.uuid()}`,
    ),
    plant(
      'google chat webhook',
      g.url64(43),
      (s) => `https://chat.googleapis${'.com'}/v1/spaces/AAAA${g.alnum(7)}/messages?key=${g.url64(39)}&token=${s}%3D`,
    ),
    plant(
      'zapier webhook',
      `${g.lowerAlnum(6)}7`,
      (s) => `https://hooks.zap${'ier.com'}/hooks/catch/${g.digits(7)}/${s}/`,
    ),
    plant('ifttt webhook', g.url64(22), (s) => `https://maker.ifttt${'.com'}/trigger/door_open/with/key/${s}`),
    plant('feishu webhook', g.uuid(), (s) => `https://open.fei${'shu.cn'}/open-apis/bot/v2/hook/${s}`),
    plant('dingtalk webhook', g.hex(64), (s) => `https://oapi.ding${'talk.com'}/robot/send?access_token=${s}`),
    plant(
      'telegram url',
      `A${'A'}${g.url64(33)}`,
      (s) => `https://api.telegram.org/bot${g.digits(10)}:${s}/sendMessage?chat_id=12`,
    ),
    plant(
      'azure sas',
      encodeURIComponent(g.base64(32)),
      (s) => `https://acme.blob.core.windows.net/c/f.txt?sv=2022-11-02&sr=b&se=2030-01-01T00%3A00%3A00Z&sp=r&sig=${s}`,
    ),
    plant(
      'azure connection string',
      g.base64(64),
      (s) => `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${s};EndpointSuffix=core.windows.net`,
    ),
    plant(
      'service bus string',
      g.base64(32),
      (s) => `Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${s}`,
    ),
    plant(
      's3 presigned',
      g.hex(64),
      (s) => `https://b.s3.amazonaws.com/k.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=600&X-Amz-Signature=${s}`,
    ),
    plant('github token url', g.hex(40), (s) => `git clone https://${s}:x-oauth-basic@github.com/acme/app.git`),
    plant('access token url', `gh${'s_'}${g.alnum(36)}`, (s) => `https://x-access-token:${s}@github.com/acme/app`),
    plant('otpauth', g.base32(32), (s) => `otpauth://totp/Acme:ada@acme.com?secret=${s}&issuer=Acme`),
    plant('bearer header', g.url64(43), (s) => `curl -H "Authorization: Bearer ${s}" https://api.internal`),
    plant('bearer lower', g.alnum(32), (s) => `authorization: bearer ${s}`),
    plant('token header', g.hex(40), (s) => `Authorization: Token ${s}`),
    plant('apikey header', g.base64(44), (s) => `Authorization: ApiKey ${s}`),
    plant('splunk header', g.uuid(), (s) => `curl -H 'Authorization: Splunk ${s}' https://splunk.internal:8088`),
    plant('okta header', `00${g.url64(40)}`, (s) => `Authorization: SSWS ${s}`),
    plant('genie header', g.uuid(), (s) => `"Authorization": "GenieKey ${s}"`),
    plant(
      'private token header',
      g.url64(20),
      (s) => `curl --header "PRIVATE-TOKEN: ${s}1a" https://gitlab.internal/api/v4`,
    ),
    plant('session cookie', g.upperHex(32), (s) => `Cookie: theme=dark; JSESSIONID=${s}; lang=en`),
    plant('php session', `${g.lowerAlnum(26)}1`, (s) => `Set-Cookie: PHPSESSID=${s}; path=/; HttpOnly`),
    plant('npmrc token', `np${'m_'}${g.alnum(36)}`, (s) => `//registry.example.com/:_authToken=${s}`),
    plant('npmrc uuid', g.uuid(), (s) => `//npm.internal/:_authToken=${s}\nalways-auth=true`),
    plant(
      'kubeadm token',
      `${g.lowerAlnum(5)}1.${g.lowerAlnum(15)}2`,
      (s) => `kubeadm join 10.0.0.1:6443 --token ${s} --discovery-token-ca-cert-hash sha256:${g.hex(64)}`,
    ),
    plant(
      'jwk private',
      g.url64(43),
      (s) => `{"kty":"EC","crv":"P-256","x":"${g.url64(43)}","y":"${g.url64(43)}","d":"${s}"}`,
    ),
    plant(
      'aws csv',
      g.base64(30),
      (s) => `User name,Access key ID,Secret access key\nada,AK${'IA'}${g.base32(16)},${s}`,
    ),
    plant(
      'aws credentials file',
      g.base64(30),
      (s) => `[default]\naws_access_key_id = AK${'IA'}${g.base32(16)}\naws_secret_access_key = ${s}`,
    ),
    plant('aws in prose', g.base64(30), (s) => `the AWS secret key is ${s}`),
    plant('api key in prose', g.alnum(32), (s) => `My API key is ${s}, it expires in May.`),
    plant('token in prose', g.hex(40), (s) => `use the access token ${s} until Friday`),
    plant('secret in prose', g.url64(30), (s) => `the client secret is: ${s}7`),
    plant(
      'seed phrase',
      'legal winner thank year wave sausage worth useful legal winner thank yellow',
      (s) => `My wallet seed phrase: ${s}`,
    ),
    plant('wifi code', 'Falcon-2291', (s) => `WIFI:T:WPA;S:Office;P:${s};;`),
    plant(
      'rsa xml',
      g.base64(64),
      (s) => `<RSAKeyValue><Modulus>${g.base64(64)}</Modulus><Exponent>AQAB</Exponent><D>${s}</D></RSAKeyValue>`,
    ),
    plant('oracle url', 'T1ger_9921', (s) => `jdbc:oracle:thin:scott/${s}@db.internal:1521:orcl`),
    plant('redis cli', 'Falc0n!2291', (s) => `redis-cli -h cache.internal -a ${s} ping`),
    plant('docker login', 'Falc0n!2291', (s) => `docker login -u ada -p ${s} registry.internal`),
    plant('gcp service account', g.base64(60), (s) =>
      JSON.stringify(
        {
          type: 'service_account',
          private_key_id: g.hex(40),
          private_key: `-----BEGIN PRIV${'ATE KEY-----'}\nMIIEvQ${s}\n-----END PRIV${'ATE KEY-----'}\n`,
          client_email: 'a@b.iam.gserviceaccount.com',
        },
        null,
        2,
      ),
    ),
  ]
}
