import assert from 'node:assert/strict'
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkWebhookUrl, isPublicAddress, webhookUrlCharactersMax } from './webhook-address.ts'

/** The same ranges in a BlockList of the platform: an oracle that shares no code with the core. */
const privateV4 = new BlockList()
for (const [base, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  privateV4.addSubnet(base, bits)
}

const byte = fc.nat({ max: 255 })
const group = fc.nat({ max: 0xffff })
const interesting = fc.constantFrom(
  [10, 0],
  [100, 64],
  [100, 128],
  [127, 0],
  [169, 254],
  [172, 15],
  [172, 31],
  [172, 32],
  [192, 0],
  [192, 168],
  [198, 19],
  [198, 20],
  [198, 51],
  [203, 0],
  [223, 255],
  [224, 0],
)
const v4 = fc.oneof(
  fc.tuple(byte, byte, byte, byte),
  fc.tuple(interesting, byte, byte).map(([start, c, d]) => [...start, c, d]),
  fc.tuple(interesting, fc.constantFrom(0, 2, 99, 100, 113, 255), byte).map(([start, c, d]) => [...start, c, d]),
)
const hex = (high = 0, low = 0) => (high * 256 + low).toString(16)

test('an IPv4 address is public exactly when it is in no special range', () => {
  fc.assert(
    fc.property(v4, (bytes) => assert.equal(isPublicAddress(bytes.join('.')), !privateV4.check(bytes.join('.')))),
    { numRuns: 2_000 },
  )
})

test('an IPv6 form of an IPv4 address is public exactly when the IPv4 address is', () => {
  fc.assert(
    fc.property(v4, fc.array(group, { minLength: 5, maxLength: 5 }), ([a, b, c, d], rest) => {
      const plain = isPublicAddress([a, b, c, d].join('.'))
      const pair = `${hex(a, b)}:${hex(c, d)}`
      const tail = rest.map((part) => part.toString(16)).join(':')
      for (const form of [
        `::ffff:${[a, b, c, d].join('.')}`,
        `::FFFF:${pair}`,
        `0:0:0:0:0:ffff:${pair}`,
        `64:ff9b::${pair}`,
        `64:ff9b::${[a, b, c, d].join('.')}`,
        `2002:${pair}:${tail}`,
      ]) {
        assert.equal(isPublicAddress(form), plain, form)
      }
      // Compatible, translated, local NAT64 and Teredo forms are never public.
      for (const form of [`::${pair}`, `::ffff:0:${pair}`, `64:ff9b:1::${pair}`, `2001:0:${pair}:0:ffff:${pair}`]) {
        assert.equal(isPublicAddress(form), false, form)
      }
    }),
  )
})

test('no IPv6 address outside 2000::/3 is public, and inside it only special ranges are not', () => {
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const [first = 0, second = 0] = groups
      const text = groups.map((part) => part.toString(16)).join(':')
      // The IPv4 forms have a test of their own.
      if (first === 0x64 || groups.slice(0, 5).every((part) => part === 0)) return
      if (first < 0x2000 || first > 0x3fff) {
        assert.equal(isPublicAddress(text), false)
      } else if (first !== 0x2002) {
        const isSpecial =
          (first === 0x2001 && (second < 0x200 || second === 0xdb8)) || (first === 0x3fff && second < 0x1000)
        assert.equal(isPublicAddress(text), !isSpecial)
      }
    }),
  )
})

test('addresses of metadata services, loopback and documentation are not public', () => {
  for (const ip of [
    '127.0.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    'fe80::1',
    'febf::1',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    '2001:20::1',
    '2001:1ff::1',
    '3fff::1',
    '3fff:fff::1',
    '5f00::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  ]) {
    assert.equal(isPublicAddress(ip), false, ip)
  }
  for (const ip of [
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.0',
    '2606:4700::1111',
    '2A00:1450:4001::',
    '64:ff9b::8.8.8.8',
  ]) {
    assert.equal(isPublicAddress(ip), true, ip)
  }
})

test('a text that is not an IP address as sockets write it is not public', () => {
  for (const text of [
    '',
    '8.8.8',
    '08.8.8.8',
    '0x8.8.8.8',
    '134744072',
    '8.8.8.8 ',
    '8.8.8.256',
    '2606:4700::1%eth0',
    '2606:1:2:3::4:5:6:7',
  ]) {
    assert.equal(isPublicAddress(text), false, text)
  }
  const soup = fc.string({
    unit: fc.constantFrom('0', '1', '2', '6', 'f', ':', '::', '.', '2606:4700:', '8.8.8'),
    maxLength: 24,
  })
  fc.assert(
    fc.property(soup, (text) => {
      if (!isIPv4(text) && !isIPv6(text)) assert.equal(isPublicAddress(text), false)
    }),
    { numRuns: 5_000 },
  )
})

test('all ways to write the same IPv6 address give the same result', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(group, fc.constant(0)), { minLength: 7, maxLength: 7 }), (groups) => {
      const full = [0x2606, ...groups].map((part) => part.toString(16).padStart(4, '0')).join(':')
      const short = new URL(`https://[${full}]/`).hostname.slice(1, -1)
      assert.ok(isIPv6(full) && isIPv6(short))
      for (const form of [full, full.toUpperCase(), short]) assert.equal(isPublicAddress(form), true, form)
    }),
  )
})

const rejected = { code: 'webhook_url_rejected' }
const notAUrl = { code: 'validation_error' }

test('a public https URL is accepted and returned parsed', () => {
  for (const url of [
    'https://hooks.example.com/a?b=c#d',
    'https://hooks.example.com:8443/',
    'HTTPS://EXAMPLE.COM',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://notlocalhost.com/',
    'https://例え.jp/',
    'https://local.example/internal',
  ]) {
    assert.equal(checkWebhookUrl(url, false).href, new URL(url).href)
  }
})

test('a URL that is not https or not on the public internet is rejected', () => {
  for (const url of [
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://:pass@example.com/',
    'https://example.com:0/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://0x7f.0.0.1./',
    'https://①②⑦.0.0.1/',
    'https://%31%32%37.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fd00:ec2::254]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0/',
    'https://localhost/',
    'https://LOCALHOST:8443/',
    'https://localhost./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://metadata.google.internal./',
    'https://metadata.goog/',
    'https://api.svc.cluster.local/',
    'https://metadata/',
    'https://./',
    'https://a..example/',
  ]) {
    assert.throws(() => checkWebhookUrl(url, false), rejected, url)
  }
})

test('a text that is no URL gets validation_error', () => {
  for (const url of [
    undefined,
    null,
    1,
    {},
    '',
    'not a url',
    'example.com',
    'https://',
    'https://256.1.1.1/',
    'https://[fe80::1%25eth0]/',
    'https://example.com/\r\nX-Injected: 1',
    'https://exam\tple.com/',
    ' https://example.com/',
    'https://example.com/\u0000',
    'https://example.com/\ud800',
    `https://example.com/${'a'.repeat(webhookUrlCharactersMax)}`,
  ]) {
    assert.throws(() => checkWebhookUrl(url, false), notAUrl, String(url))
    assert.throws(() => checkWebhookUrl(url, true), notAUrl, String(url))
  }
})

test('with allowPrivate, private addresses and http are accepted, other URLs are not', () => {
  for (const url of ['http://127.0.0.1:9000/hook', 'https://localhost/', 'http://[::1]/', 'http://hooks.internal/']) {
    assert.equal(checkWebhookUrl(url, true).href, new URL(url).href)
  }
  for (const url of ['ftp://127.0.0.1/', 'http://u:p@127.0.0.1/', 'http://127.0.0.1:0/', 'file:///etc/passwd']) {
    assert.throws(() => checkWebhookUrl(url, true), rejected, url)
  }
})

test('an error never repeats the URL', () => {
  for (const url of [
    'https://localhost/tok3n',
    'http://tok3n.example/',
    'https://tok3n:x@a.example/',
    'tok3n',
    ' tok3n',
  ]) {
    assert.throws(
      () => checkWebhookUrl(url, false),
      (error: Error & { details: object }) => !`${error.message}${JSON.stringify(error.details)}`.includes('tok3n'),
    )
  }
})

test('an accepted URL is https, has no credentials, and has a full name or a public address', () => {
  const part = fc.constantFrom(
    '127.0.0.1',
    '0x7f',
    '1',
    '.',
    '[::1]',
    'a.example',
    '@',
    ':',
    '/',
    '\\',
    '#',
    '?',
    '%2e',
    'localhost',
    '。',
    '８',
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      let url: URL
      try {
        url = checkWebhookUrl(`https://${parts.join('')}`, false)
      } catch {
        return
      }
      assert.equal(url.protocol + url.username + url.password, 'https:')
      const host = url.hostname.replace(/[[\]]/g, '')
      assert.ok(isIPv4(host) || isIPv6(host) ? isPublicAddress(host) : /^[^.]+(\.[^.]+)+$/.test(host), url.href)
    }),
    { numRuns: 2_000 },
  )
})
