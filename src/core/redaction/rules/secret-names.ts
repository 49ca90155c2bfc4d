/**
 * How strongly the name in front of a value suggests a secret. After `password` nearly every value counts, after `secret` a
 * value that looks generated, after `weak` (a bare "key") only a value that cannot be anything else.
 */
export type NameKind = 'password' | 'secret' | 'weak'

/** Suffixes that are ignored: DB_PASSWORD_PROD, secret_key_base, TOKEN_2. */
const qualifiers =
  /(?:_(?:prod|production|dev|development|staging|stage|test|testing|live|local|sandbox|value|val|str|string|plain|plaintext|raw|text|base|b64|base64|hex|old|new|current|previous|backup|default|env|var|main|\d{1,4}|v\d))+$/

const password =
  /(?:password|passwort|passphrase|passwd)s?$|(?:^|_)(?:pass|pwd|pswd|psw|pw|psk|passcode)s?$|(?:db|user|my|require|root|admin|ssh|sql|ftp|smtp|mail|pg|redis|ldap|bind|sa|web|app)(?:pass|pwd|pw)$/

/** Counts, cursors and language-model terms: "tokens" that are not credentials. */
const harmlessToken =
  /(?:^|_)(?:page|next|prev|previous|continuation|cancel|cancellation|max|min|num|n|total|input|output|prompt|completion|stop|eos|bos|pad|unk|mask|sep|cls|special|design|sync|resume|delta|start|end|reserved|cached|used|remaining|context|budget|per|of|count|thinking|reasoning|generated|new|many|few|extra|first|last)_?tokens?$/

const keyOfSecret =
  /(?:^|_)(?:api|app|access|secret|private|priv|encryption|encrypt|decryption|decrypt|signing|sign|master|account|auth|client|storage|shared|service|license|licence|admin|webhook|integration|consumer|subscription|root|session|cookie|jwt|hmac|aes|cipher|crypto|deploy|bot|server|write|ingest|instrumentation|database|vault|wallet|recovery|security|preshared|ssh|function|functions|query|search|management|developer|user|project|team|org|sdk|data|app_secret|x_api|maps|bearer|streaming|stream|endpoint|read|rest|upload|site|merchant|payment|publishable|vendor|partner|sandbox|live|test|transaction|trading|exchange)_?keys?$|(?:api|access|secret|private|encryption|signing|account|license|master|apisecret|auth)keys?$/

const harmlessKey =
  /(?:^|_)(?:public|pub|primary|foreign|partition|sort|range|cache|idempotency|hot|socket|index|row|object|map|translation|registry|unique|composite|natural|surrogate|dedupe|deduplication|group|host|known|routing|message|storage_object|s3|bucket|hash|lookup|config|json|dict|enum|field|column|order|shard|sharding|redis|memcache|localstorage|local_storage|label|tag|metric|query_cache|react|list|item|state|feature|flag|event|activation_event|short|shortcut|accelerator|arrow|modifier|meta|ctrl|shift|function_name|license_plate|piano|house|car|skeleton|answer|turn|low|off|minor|major|musical)_?keys?$/

/** Classifies a name in any spelling: dbPassword, DB-PASSWORD, "api key", x_api_key. Undefined when it suggests no secret. */
export function kindOfName(name: string): NameKind | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .replace(qualifiers, '')
  if (password.test(words)) return 'password'
  if (/secrets?$|(?:auth|nonce|logged_in|password|session|jwt|secret|hash)_salt$/.test(words)) return 'secret'
  if (/tokens?$/.test(words)) return harmlessToken.test(words) ? undefined : 'secret'
  if (/(?:credentials?|creds?)$|(?:^|_)(?:auth|authorization|authkey|authcode)$/.test(words)) return 'secret'
  if (!/keys?$/.test(words)) return undefined
  if (keyOfSecret.test(words) && !/(?:public|pub|publishable)_?(?:api_?)?keys?$/.test(words)) return 'secret'
  if (harmlessKey.test(words) || !/(?:^|_)keys?$/.test(words)) return undefined
  // An environment variable such as GIPHY_KEY usually exists to keep a secret out of the code.
  return /[A-Z]_KEY$/.test(name) ? 'secret' : 'weak'
}
