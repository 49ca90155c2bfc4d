import type { Generator } from './generator.ts'

/** A text and the part of it that must not survive. */
export type Planted = { readonly kind: string; readonly text: string; readonly secret: string }

/** Where people and programs put a token that is recognisable by itself. */
export const tokenSettings: readonly ((secret: string) => string)[] = [
  (s) => `Please use ${s} for the deployment tonight.`,
  (s) => s,
  (s) => `{"user":"ada","value":"${s}","region":"eu-west-1"}`,
  (s) => `# staging\nREGION=eu-west-1\nSERVICE_CREDENTIAL=${s}\nDEBUG=false\n`,
  (s) => `service:\n  url: https://api.internal\n  credential: ${s}\n  retries: 3\n`,
  (s) => `const client = new Client('${s}', { region: 'eu' })`,
  (s) => `curl -s -H "X-Auth-Token: ${s}" https://api.internal/v1/items`,
  (s) => `GET https://api.internal/v1/items?access_token=${encodeURIComponent(s)}&page=2 200 12ms`,
  (s) => `2026-01-03T10:00:00Z INFO login ok credential=${s} user=ada`,
  (s) => `The old one was revoked, the new one is \`${s}\`.`,
  (s) => JSON.stringify(JSON.stringify({ note: 'rotate', credential: s })),
  (s) => `first line\\n${s}\\nlast line`,
  (s) => `export CREDENTIAL="${s}" && ./deploy.sh --env prod`,
  (s) => `<setting name="credential"><value>${s}</value></setting>`,
  (s) => `| environment | credential |\n|---|---|\n| prod | ${s} |`,
  (s) => `hey, ${s}, that is the one from yesterday`,
  (s) => `Remember (${s}).`,
  (s) => `- prod: "${s}"\n- test: none`,
  (s) => `headers = {'X-Credential': '${s}'}\nrequests.get(url, headers=headers)`,
  (s) => `redirect=%2Fcallback%3Fcredential%3D${encodeURIComponent(s)}%26state%3D12`,
  (s) => `Ada: what was it again?\nBob: ${s}\nAda: thanks`,
  (s) => `git remote set-url origin https://ada:${encodeURIComponent(s)}@git.internal/app.git`,
]

/** Secrets of services that have no prefix; only their names show what they are. */
export const namedKinds: Readonly<Record<string, { names: readonly string[]; make: (g: Generator) => string }>> = {
  'aws secret key': {
    names: ['aws_secret_access_key', 'AWS_SECRET_ACCESS_KEY', 'SecretAccessKey', 'secretAccessKey'],
    make: (g) => g.base64(30),
  },
  'azure storage key': {
    names: ['AccountKey', 'AZURE_STORAGE_ACCOUNT_KEY', 'storage_account_key'],
    make: (g) => g.base64(64),
  },
  'datadog api key': { names: ['DD_API_KEY', 'datadog_api_key'], make: (g) => g.hex(32) },
  'datadog app key': { names: ['DD_APP_KEY', 'datadog_app_key'], make: (g) => g.hex(40) },
  'algolia admin key': { names: ['ALGOLIA_ADMIN_API_KEY', 'algoliaApiKey'], make: (g) => g.hex(32) },
  'twilio auth token': { names: ['TWILIO_AUTH_TOKEN', 'twilio_auth_token', 'authToken'], make: (g) => g.hex(32) },
  'heroku uuid key': { names: ['HEROKU_API_KEY', 'heroku_api_key'], make: (g) => g.uuid() },
  'postmark token': { names: ['POSTMARK_SERVER_TOKEN', 'X-Postmark-Server-Token'], make: (g) => g.uuid() },
  'cloudflare global key': {
    names: ['CLOUDFLARE_API_KEY', 'cloudflare_api_key', 'X-Auth-Key'],
    make: (g) => g.hex(37),
  },
  'mistral key': { names: ['MISTRAL_API_KEY', 'mistralApiKey'], make: (g) => g.alnum(32) },
  'cohere key': { names: ['COHERE_API_KEY', 'CO_API_KEY'], make: (g) => g.alnum(40) },
  'deepgram key': { names: ['DEEPGRAM_API_KEY'], make: (g) => g.hex(40) },
  'assemblyai key': { names: ['ASSEMBLYAI_API_KEY'], make: (g) => g.hex(32) },
  'mailjet secret': { names: ['MJ_APIKEY_PRIVATE_KEY', 'mailjet_secret_key'], make: (g) => g.hex(32) },
  'fastly token': { names: ['FASTLY_API_TOKEN', 'Fastly-Key'], make: (g) => g.url64(32).replace(/^[-_]/, 'a') },
  'linode token': { names: ['LINODE_TOKEN', 'linode_api_token'], make: (g) => g.hex(64) },
  'hetzner token': { names: ['HCLOUD_TOKEN'], make: (g) => g.alnum(64) },
  'okta token': { names: ['OKTA_API_TOKEN', 'okta_api_token'], make: (g) => `00${g.url64(39)}z` },
  'zendesk token': { names: ['ZENDESK_API_TOKEN'], make: (g) => g.alnum(40) },
  'pagerduty key': { names: ['PAGERDUTY_API_KEY', 'routing_secret'], make: (g) => g.alnum(20) },
  'github oauth secret': { names: ['GITHUB_CLIENT_SECRET', 'client_secret', 'clientSecret'], make: (g) => g.hex(40) },
  'discord client secret': { names: ['DISCORD_CLIENT_SECRET'], make: (g) => `${g.url64(31).replace(/^[-_]/, 'b')}q` },
  'spotify secret': { names: ['SPOTIFY_CLIENT_SECRET', 'spotify_client_secret'], make: (g) => g.hex(32) },
  'django secret key': {
    names: ['SECRET_KEY', 'DJANGO_SECRET_KEY'],
    make: (g) => `${g.from('abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+', 49)}a`,
  },
  'rails secret base': { names: ['secret_key_base', 'SECRET_KEY_BASE'], make: (g) => g.hex(128) },
  'jwt secret': { names: ['JWT_SECRET', 'jwtSecret', 'jwt.secret'], make: (g) => g.base64(32) },
  'encryption key': { names: ['ENCRYPTION_KEY', 'encryption_key', 'master_key'], make: (g) => g.base64(32) },
  'session secret': { names: ['SESSION_SECRET', 'sessionSecret', 'cookie_secret'], make: (g) => g.alnum(40) },
  'webhook secret': { names: ['WEBHOOK_SECRET', 'webhook_secret'], make: (g) => g.hex(48) },
  'ethereum private key': { names: ['PRIVATE_KEY', 'privateKey', 'WALLET_PRIVATE_KEY'], make: (g) => `0x${g.hex(64)}` },
  'wireguard key': { names: ['PrivateKey', 'PresharedKey'], make: (g) => g.base64(32) },
  'generic api key': { names: ['api_key', 'apiKey', 'API_KEY', 'x-api-key', 'apikey'], make: (g) => g.alnum(32) },
  'generic token': {
    names: ['token', 'auth_token', 'ACCESS_TOKEN', 'refresh_token', 'accessToken'],
    make: (g) => g.alnum(40),
  },
  'short secret': {
    names: ['client_secret', 'app_secret', 'consumer_secret'],
    make: (g) => g.alnum(11) + g.pick('0123456789'),
  },
  'confluent secret': { names: ['CONFLUENT_API_SECRET', 'sasl_secret'], make: (g) => g.base64(48) },
  'ibm cloud key': { names: ['IBMCLOUD_API_KEY', 'ibmcloud_api_key'], make: (g) => `${g.url64(43)}Z` },
  'vault legacy token': { names: ['VAULT_TOKEN', 'vault_token'], make: (g) => `s.${g.alnum(23)}7` },
  'ngrok token': { names: ['NGROK_AUTHTOKEN', 'authtoken'], make: (g) => `2${g.alnum(26)}_${g.alnum(21)}` },
  'snyk token': { names: ['SNYK_TOKEN', 'snyk_token'], make: (g) => g.uuid() },
  'codecov token': { names: ['CODECOV_TOKEN'], make: (g) => g.uuid() },
  'weights and biases': { names: ['WANDB_API_KEY'], make: (g) => g.hex(40) },
}

export const namedSettings: readonly ((name: string, secret: string) => string)[] = [
  (n, s) => `${n}=${s}`,
  (n, s) => `${n}="${s}"`,
  (n, s) => `{"region":"eu","${n}":"${s}","debug":false}`,
  (n, s) => `config:\n  ${n}: ${s}\n  region: eu\n`,
  (n, s) => `export ${n}='${s}'\n./run.sh`,
  (n, s) => `const ${n.replace(/[^A-Za-z_]/g, '_')} = "${s}";`,
  (n, s) => `docker run -e ${n}=${s} -p 8080:80 app`,
  (n, s) => `"${n}" => "${s}",`,
  (n, s) => `please set ${n} to this: ${n}: ${s}`,
  (n, s) => JSON.stringify({ log: JSON.stringify({ [n]: s }) }),
  (n, s) => `curl -H '${n}: ${s}' https://api.internal/v1`,
  (n, s) => `<entry key="${n}">${s}</entry>`,
  (n, s) => `ENV ${n} ${s}`,
]
