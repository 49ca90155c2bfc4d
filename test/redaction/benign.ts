import { code, longer } from './benign-code.ts'
import { aboutSecrets, placeholders } from './benign-prose.ts'
import type { Generator } from './generator.ts'

/** Values that look made by a machine and are public: digests, ids, numbers, images, public keys. */
const lookAlikes: readonly ((g: Generator) => string)[] = [
  (g) => `commit ${g.hex(40)}`,
  (g) => `see ${g.hex(7)} and ${g.hex(10)}`,
  (g) => `git checkout ${g.hex(40)} -- src`,
  (g) => `sha256:${g.hex(64)}`,
  (g) => `image: registry.internal/app@sha256:${g.hex(64)}`,
  (g) => `"integrity": "sha512-${g.base64(64)}"`,
  (g) => `<script src="a.js" integrity="sha384-${g.base64(48)}" crossorigin="anonymous"></script>`,
  (g) => `md5 ${g.hex(32)}  file.iso`,
  (g) => `etag: "${g.hex(32)}"`,
  (g) => `checksum=${g.hex(64)}`,
  (g) => `hash: ${g.base64(32)}`,
  (g) => g.uuid(),
  (g) => `request_id=${g.uuid()} status=200`,
  (g) => `"id":"${g.uuid()}"`,
  (g) => `trace ${g.hex(32)} span ${g.hex(16)}`,
  (g) => `traceparent: 00-${g.hex(32)}-${g.hex(16)}-01`,
  (g) => `mem_${g.uuidV7()}`,
  (g) => `run_${g.uuidV7()} wrote mem_${g.uuidV7()}`,
  (g) => `job_${g.uuidV7()} is done`,
  (g) => `evt_${g.uuidV7()}`,
  (g) => `{"memoryRef":"notes/${g.lowerAlnum(8)}","entryId":"mem_${g.uuidV7()}"}`,
  (g) => `compacted-from:mem_${g.uuidV7()}`,
  (g) => `ULID 01H${g.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 23)}`,
  (g) => `_id: ObjectId("${g.hex(24)}")`,
  (g) => `data:image/png;base64,iVBORw0KGgo${g.base64(120)}`,
  (g) => `<img src="data:image/jpeg;base64,/9j/4AAQSkZJRg${g.base64(300)}">`,
  (g) => `"cursor":"${Buffer.from(`user:${g.digits(10)}`).toString('base64')}"`,
  (g) => `"nextCursor": "${g.base64(24)}"`,
  (g) => `after=${Buffer.from(`2024-05-01|${g.digits(8)}`).toString('base64url')}`,
  (g) => `color: #${g.hex(6)}; background: #${g.hex(8)}`,
  (g) => `ISBN 978-3-${g.digits(2)}-${g.digits(6)}-${g.below(10)}`,
  (g) => `call +49 30 ${g.digits(8)} or (555) ${g.digits(3)}-${g.digits(4)}`,
  (g) => `order ${g.digits(12)} shipped, tracking 1Z${g.upperAlnum(16)}`,
  (g) => `IBAN DE${g.digits(2)} ${g.digits(4)} ${g.digits(4)} ${g.digits(4)} ${g.digits(4)} ${g.digits(2)}`,
  (g) => `0x${g.hex(40)} is the contract`,
  (g) => `block 0x${g.hex(64)}`,
  (g) => `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ${g.base64(360)} ada@laptop`,
  (g) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${g.base64(32)} ada@laptop`,
  (g) => `-----BEGIN CERTIFICATE-----\nMIID${g.base64(45)}\n${g.base64(48)}\n-----END CERTIFICATE-----`,
  (g) => `-----BEGIN PUBLIC KEY-----\nMIIB${g.base64(45)}\n${g.base64(48)}\n-----END PUBLIC KEY-----`,
  (g) => `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${g.base64(48)}\n-----END PGP PUBLIC KEY BLOCK-----`,
  (g) => `-----BEGIN PGP SIGNATURE-----\n\n${g.base64(48)}\n-----END PGP SIGNATURE-----`,
  (g) => `-----BEGIN CERTIFICATE REQUEST-----\n${g.base64(48)}\n-----END CERTIFICATE REQUEST-----`,
  (g) => `public_key: ${g.base64(32)}`,
  (g) => `"publicKey":"${g.url64(43)}"`,
  (g) => `pk_live_${g.alnum(24)} is the publishable one`,
  (g) => `SHA256:${g.base64(32).replace('=', '')} ada@laptop (ED25519)`,
  (g) => `2026-0${1 + g.below(9)}-1${g.below(9)}T10:${10 + g.below(49)}:00.000Z`,
  (g) => `v${g.below(20)}.${g.below(30)}.${g.below(9)}-rc.${g.below(9)}+build.${g.hex(7)}`,
  (g) => `10.${g.below(255)}.${g.below(255)}.7:8080 fe80::${g.hex(4)}:${g.hex(4)}`,
  (g) => `MAC ${g.hex(2)}:${g.hex(2)}:${g.hex(2)}:${g.hex(2)}:${g.hex(2)}:${g.hex(2)}`,
  (g) => `/var/lib/docker/overlay2/${g.hex(64)}/merged`,
  (g) => `C:\\Users\\ada\\AppData\\Local\\Temp\\${g.alnum(12)}.tmp`,
  (g) => `src/core/rules/${g.pick(['cloud', 'chat', 'mail'])}.ts:${g.digits(3)}:${g.digits(2)}`,
  (g) => `https://api.example.com/v1/users/${g.digits(6)}?page=${g.below(50)}&sort=name`,
  (g) => `https://example.com:8443/a/b@c/${g.hex(12)}`,
  (g) => `https://cdn.example.com/assets/index-${g.alnum(8)}.js`,
  (g) => `https://youtu.be/${g.url64(11)} at 3:15`,
  (g) => `https://docs.google.com/document/d/${g.url64(44)}/edit`,
  (g) => `https://www.figma.com/file/${g.alnum(22)}/Design?node-id=12`,
  (g) => `https://github.com/acme/app/commit/${g.hex(40)}`,
  (g) => `arn:aws:iam::${g.digits(12)}:role/app-${g.lowerAlnum(6)}`,
  (g) => `vpc-${g.hex(17)} subnet-${g.hex(17)} i-${g.hex(17)}`,
  (g) => `ami-${g.hex(17)} in eu-west-1`,
  (g) => `projects/acme-${g.digits(6)}/topics/orders`,
  (g) => `ocid1.instance.oc1..${g.lowerAlnum(60)}`,
  (g) => `pod/app-${g.hex(9)}-${g.lowerAlnum(5)} 1/1 Running`,
  (g) => `npm i @acme/app@${g.below(9)}.${g.below(9)}.0 react-dom@19.${g.below(9)}.1`,
  (g) => `cus_${g.alnum(14)} paid pi_${g.alnum(24)} with pm_${g.alnum(24)}`,
  (g) => `price_${g.alnum(24)} prod_${g.alnum(14)} in_${g.alnum(24)}`,
  (g) => `channel C0${g.upperAlnum(9)} user U0${g.upperAlnum(9)}`,
  (g) => `msg_${g.alnum(24)} from chatcmpl-${g.alnum(29)}`,
  (g) => `toolu_${g.alnum(24)} finished, resp_${g.hex(48)}`,
  (g) => `thread_${g.alnum(24)} asst_${g.alnum(24)} file-${g.alnum(22)}`,
  (g) => `G-${g.upperAlnum(10)} UA-${g.digits(8)}-1 GTM-${g.upperAlnum(7)}`,
  (g) => `lat ${g.below(90)}.${g.digits(6)}, lon ${g.below(180)}.${g.digits(6)}`,
  (g) => `tx ${g.hex(64)} confirmed`,
  (g) => `bc1q${g.from('qpzry9x8gf2tvdw0s3jn54khce6mua7l', 38)}`,
  (g) => `serial ${g.upperHex(20)}, fingerprint ${g.upperHex(40)}`,
  (g) => `seat 14C, booking ${g.upperAlnum(6)}, ticket 220-${g.digits(10)}`,
  (g) => `embedding [0.${g.digits(6)}, -0.${g.digits(6)}, 0.${g.digits(6)}]`,
  (g) => `Set-Cookie: theme=dark; Path=/; Max-Age=${g.digits(5)}`,
  (g) => `"tags":["preference","source:api","run:${g.lowerAlnum(6)}"]`,
  (g) => `kid: ${g.hex(16)}, alg: RS256`,
  (g) => `x-request-id: ${g.alnum(20)}`,
  (g) => `cf-ray: ${g.hex(16)}-FRA`,
  (g) => `Session ID: ${g.below(9)}, started 10:${10 + g.below(49)}`,
]

const single: readonly string[] = `
preference
source:api
compacted
notes/ada
long-term
scratch:run_1:agent_2
conversation:run_1
Donaudampfschifffahrtsgesellschaftskapitän
pneumonoultramicroscopicsilicovolcanoconiosis
llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch
supercalifragilisticexpialidocious
eyJ is how base64 JSON begins
eyJhbGciOiJIUzI1NiJ9 is only a header
AKIA is the prefix of AWS key ids.
ghp_ is the prefix of GitHub tokens
xoxb- tokens belong to bots
Keys start with sk- or pk-.
They start with AIza.
hf_hub_download(repo_id="acme/model")
HF_HOME=/data/hf_cache
npm_config_registry=https://registry.example.com
npm_lifecycle_event=test
key-value store, key-down event
live_streaming_enabled_for_everyone = true
test_user_can_login_with_valid_credentials
re_compile, re_match and re_search
pat pat pat
as-is, as-built, app-level, al-dente
SG. is the abbreviation of Singapore
SCWS and SKU12345 are fine
EZ pass lane 4
API-first design, API-GATEWAY-TIMEOUT
oauth:authorize
sdk-internal
pa-rent, nk-jv, fc-barcelona
r8_8 is a code of a pawn
1/15/2024 and 2/12/2024
3:AA batteries
price 12:30:45
10.0.0.1:5432:open
user@host:5432
The ratio was 3://4 by mistake
http://localhost:3000/@vite/client
https://medium.com/@ada/post-12
https://unpkg.com/@babel/core@7.24.0/lib/index.js
git@github.com:acme/app.git
ssh://git@github.com:22/acme/app.git
mailto:ada@example.com
ftp://ftp.example.com/pub
jdbc:postgresql://localhost:5432/app
Ada lives in Berlin and prefers tea.
🍵 Ada likes tea 🍵
日本語のテキストです。パスワードを忘れました。
Mein Passwort habe ich vergessen.
Das Passwort ist abgelaufen.
J'ai oublié mon mot de passe.
He olvidado mi contraseña.
`
  .trim()
  .split('\n')

export function benignTexts(g: Generator): string[] {
  const settings: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => `Ada said: ${text}. Then she left.`,
    (text) => JSON.stringify({ note: text, at: '2026-01-03T10:00:00Z', tags: ['preference'] }),
    (text) => `- ${text}\n- and something else`,
  ]
  const made = lookAlikes.flatMap((make) => settings.map((set) => set(make(g))))
  return [...aboutSecrets, ...placeholders, ...code, ...longer, ...single, ...made]
}
