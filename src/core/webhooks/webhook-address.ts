import { checkCharacters } from '../check.ts'
import { ColophonError, invalid } from '../errors.ts'

/**
 * Which addresses a webhook may have. The client chooses an address that this server calls from inside its own network, so every address
 * that is not clearly on the public internet is refused (SSRF).
 */

export const webhookUrlCharactersMax = 2_048

type Range = { readonly network: bigint; readonly hostBits: bigint }

const isDecimalByte = (part: string) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255

/** Parses four decimal numbers. Octal, hexadecimal and short forms are refused: programs read them as different addresses. */
function parseV4(text: string): bigint | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every(isDecimalByte)) return null
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

function parseV6(text: string): bigint | null {
  const tailStart = text.lastIndexOf(':') + 1
  if (text.includes('.')) {
    const tail = parseV4(text.slice(tailStart))
    if (tail === null) return null
    return parseV6(`${text.slice(0, tailStart)}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`)
  }
  const [head = [], rest, ...more] = text.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const written = head.length + (rest?.length ?? 0)
  if (more.length > 0 || (rest === undefined ? written !== 8 : written > 7)) return null
  const groups = [...head, ...Array<string>(8 - written).fill('0'), ...(rest ?? [])]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

function ranges(parse: (text: string) => bigint | null, width: number, cidrs: readonly string[]): readonly Range[] {
  return cidrs.map((cidr) => {
    const [base = '', prefixBits] = cidr.split('/')
    return { network: parse(base) ?? 0n, hostBits: BigInt(width - Number(prefixBits)) }
  })
}

const isWithin = (address: bigint) => (range: Range) => address >> range.hostBits === range.network >> range.hostBits

const privateV4 = ranges(parseV4, 32, [
  '0.0.0.0/8', // "this network"; Linux connects 0.0.0.0 to the local host
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier NAT, and the metadata service of Alibaba
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's host agent: a public address that only the machine's own host answers
  '169.254.0.0/16', // link-local, and the metadata service of most clouds
  '172.16.0.0/12',
  '192.0.0.0/24', // protocol assignments, and the metadata service of Oracle
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // former 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
])

/** The only part of IPv6 with public addresses; loopback, link-local, ULA and multicast are outside of it. */
const publicV6 = ranges(parseV6, 128, ['2000::/3'])
const privateV6 = ranges(parseV6, 128, [
  '2001::/23', // protocol assignments: Teredo (it hides an IPv4 address), ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
])

/** IPv6 forms that contain an IPv4 address: they are public if that address is. */
const v4Mapped = ranges(parseV6, 128, ['::ffff:0:0/96', '64:ff9b::/96'])
const sixToFour = ranges(parseV6, 128, ['2002::/16'])

/** Whether an IP address, as DNS and sockets write it, is on the public internet. Any other text is not. */
export function isPublicAddress(ip: string): boolean {
  const v4 = parseV4(ip)
  if (v4 !== null) return !privateV4.some(isWithin(v4))
  const v6 = parseV6(ip)
  if (v6 === null) return false
  const within = isWithin(v6)
  if (v4Mapped.some(within)) return !privateV4.some(isWithin(v6 & 0xffffffffn))
  if (sixToFour.some(within)) return !privateV4.some(isWithin((v6 >> 80n) & 0xffffffffn))
  return publicV6.some(within) && !privateV6.some(within)
}

/** Name suffixes that are never on the public internet, and the metadata hosts with a public name. */
const privateNames = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'cluster',
  'lan',
  'home.arpa',
  'metadata.goog',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
]

/** Only names with several labels are public: a single label is completed by the search domains of the server's network. */
function isPublicName(name: string): boolean {
  const labels = name.split('.')
  if (labels.length < 2 || labels.includes('')) return false
  return !privateNames.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
}

function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return isPublicAddress(hostname.slice(1, -1))
  // The URL parser has already converted decimal, octal, hexadecimal and short forms to four decimal numbers.
  return parseV4(hostname) === null ? isPublicName(hostname) : isPublicAddress(hostname)
}

const rejected = (problem: string) =>
  new ColophonError('webhook_url_rejected', `url ${problem}.`, { details: { field: 'url' } })

/**
 * Checks the URL of a webhook at registration, by its text alone. The addresses that its name resolves to are checked at each delivery,
 * because DNS may answer differently then. Messages never repeat the URL, because it may contain a token.
 */
export function checkWebhookUrl(url: unknown, allowPrivate: boolean): URL {
  checkCharacters('url', url, 'webhookUrlCharactersMax', webhookUrlCharactersMax)
  // The URL parser drops tabs and line breaks silently: the checked URL would differ from the given one.
  if (/[\p{Cc}\s]/u.test(url)) throw invalid('url', 'must not contain spaces or control characters')
  const parsed = URL.parse(url)
  if (parsed === null) throw invalid('url', 'must be a URL')
  if (parsed.protocol !== 'https:' && !(allowPrivate && parsed.protocol === 'http:')) throw rejected('must be https')
  if (parsed.username !== '' || parsed.password !== '') throw rejected('must not contain a user name or password')
  if (parsed.port === '0') throw rejected('must not use port 0')
  if (!allowPrivate && !isPublicHost(parsed.hostname)) throw rejected('must name a public host')
  return parsed
}
