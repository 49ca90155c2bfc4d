// Version 2: the discovery document, and how the version of an answer is chosen.
import { asArray } from '../../harness.ts'
import { strings } from '../../support.ts'
import { discoveryPath, scenarioV2, segmentOf, two } from '../../v2.ts'
import { documentFaults } from '../../v2-document.ts'

const facts = 'v2 1, 3, 14'

export const scenarios = [
  scenarioV2(
    'v2-capabilities-root-closed',
    facts,
    'The document is closed: a key too many is a fault',
    async (check, v2) => {
      check.equal(documentFaults(v2.discovery), [], 'faults of the document')
      for (const key of ['unknownFamily', 'host.replay', 'capabilities', 'profiles'])
        check.ok(documentFaults({ ...v2.discovery, [key]: true }).length > 0, `the check notices ${key}`)
    },
  ),

  scenarioV2(
    'v2-preferred-version-default',
    facts,
    'Without a header discovery has the preferred version, other paths have 2',
    async (check, v2) => {
      const versions = strings(v2.discovery.protocolVersions)
      const preferred = String(v2.discovery.preferredVersion)
      check.ok(versions.includes(preferred), 'preferredVersion is listed')
      if (versions.some((version) => version.startsWith('1.'))) check.matches(preferred, /^1\./, 'preferredVersion')
      const plain = await check.http('GET', discoveryPath, { auth: 'none' })
      check.equal(plain.status, 200, 'discovery without a header')
      const major = preferred.split('.')[0]
      check.equal(
        plain.headers.get('openwop-version')?.split('.')[0],
        major,
        'the version of discovery without a header',
      )
      check.equal(plain.body.preferredVersion, preferred, 'preferredVersion in that document')
      check.equal(plain.body.protocolVersions, v2.discovery.protocolVersions, 'protocolVersions in that document')
      const other = await check.http('GET', `/runs/${segmentOf(`openwop-conformance/${'h'.repeat(22)}`)}`)
      check.matches(other.headers.get('openwop-version'), /^2\./, 'the version of a path without a header')
      check.ok(versions.includes(String(other.headers.get('openwop-version'))), 'that version is listed')
    },
  ),

  scenarioV2('v2-version-header-honored', facts, 'The header selects the document', async (check, v2) => {
    const [plain, selected] = await Promise.all([
      check.http('GET', discoveryPath, { auth: 'none' }),
      v2.http('GET', discoveryPath, { auth: 'none' }),
    ])
    check.equal(selected.status, 200, 'discovery with the header')
    check.matches(selected.headers.get('openwop-version'), /^2\./, 'the version of that answer')
    check.ok(plain.text !== selected.text, 'the documents differ')
    const same = await check.http('GET', discoveryPath, { auth: 'none', headers: { 'OpenWOP-Version': '2' } })
    check.equal(same.json, selected.json, 'the major version alone selects the same')
  }),

  scenarioV2(
    'v2-discovery-etag',
    facts,
    'Each document has a tag of its own, and a known one is 304',
    async (check, v2) => {
      const [plain, selected] = [await check.http('GET', discoveryPath), await v2.http('GET', discoveryPath)]
      const tags = [plain, selected].map(({ headers }) => headers.get('etag'))
      check.ok(tags[0] && tags[1] && tags[0] !== tags[1], 'two tags')
      const known = await v2.http('GET', discoveryPath, { headers: { 'If-None-Match': String(tags[1]) } })
      check.equal(known.status, 304, 'with the tag of the document')
      check.matches(known.headers.get('openwop-version'), /^2\./, 'the version of a 304')
      const other = await v2.http('GET', discoveryPath, { headers: { 'If-None-Match': String(tags[0]) } })
      check.equal(other.status, 200, 'with the tag of the other document')
    },
  ),

  scenarioV2(
    'v2-dual-stack-negotiation',
    facts,
    'Unlisted versions are 406, and /v1 refuses another version',
    async (check, v2) => {
      const versions = strings(v2.discovery.protocolVersions)
      for (const path of [discoveryPath, '/agents', '/runs']) {
        const answer = await check.http('GET', path, { headers: { 'OpenWOP-Version': '97.0' } })
        check.refused(answer, [406], ['protocol_version_unsupported'], `an unlisted version at ${path}`)
        const { details } = answer.body as { details?: { protocolVersions?: unknown } }
        check.equal(details?.protocolVersions, v2.discovery.protocolVersions, `details.protocolVersions at ${path}`)
      }
      if (!versions.some((version) => version.startsWith('1.'))) return
      const mixed = await check.http('GET', '/v1/agents', { headers: two })
      check.refused(mixed, [400], ['protocol_version_mismatch'], '/v1 with the header of version 2')
      const old = await check.http('GET', '/v1/agents', { headers: { 'OpenWOP-Version': '1.0' } })
      check.equal(old.status, 200, '/v1 with its own header')
      check.matches(old.headers.get('openwop-version'), /^1\./, 'the version of /v1')
    },
  ),

  scenarioV2(
    'v2-advertised-path-space-served',
    facts,
    'What is served under /v1 is served under version 2',
    async (check, v2) => {
      if (!strings(v2.discovery.protocolVersions).some((version) => version.startsWith('1.')))
        check.inapplicable('the host does not list a version 1')
      for (const path of ['/agents', '/audit/verify', '/openapi.json']) {
        const [old, current] = [await check.http('GET', `/v1${path}`), await v2.http('GET', path)]
        const isServed = (status: number) => status !== 404 && status !== 410
        check.ok(!isServed(old.status) || isServed(current.status), `${path} is served under version 2`)
        check.matches(current.headers.get('openwop-version'), /^2\./, `the version of ${path}`)
      }
    },
  ),

  scenarioV2(
    'v2-gated-family-not-found',
    facts,
    'An operation of a family that is not advertised is 404',
    async (_check, v2) => {
      const gated = { prompts: '/prompts', toolCatalog: '/tools', contentPages: '/content/pages' }
      for (const [family, path] of Object.entries(gated)) {
        if (v2.discovery[family] !== undefined) continue
        v2.refused(await v2.http('GET', path), 404, 'not_found', path)
      }
    },
  ),

  scenarioV2(
    'v2-credential-revoked',
    'v2 4',
    'A revoked key gets a code of its own, with the scheme to use',
    async (check, v2) => {
      const { revokedKey } = check.target
      if (revokedKey === null) check.blocked('no revoked key was given')
      const answer = await v2.http('GET', '/agents', { auth: String(revokedKey) })
      v2.refused(answer, 401, 'credential_revoked', 'a revoked key')
      check.matches(answer.headers.get('www-authenticate'), /^Bearer/, 'WWW-Authenticate')
      v2.refused(await v2.http('GET', '/agents', { auth: 'none' }), 401, 'unauthenticated', 'no key')
    },
  ),

  scenarioV2(
    'v2-lane-issuer-advertised',
    'v2 4',
    'The owner of a run is of an advertised issuer',
    async (check, v2) => {
      const { lanes } = v2.needs('auth') as { lanes?: unknown }
      const issuers = asArray(lanes).flatMap((lane) => strings((lane as { issuers?: unknown }).issuers))
      check.ok(issuers.length > 0, 'a lane has an issuer')
      const { owner } = await v2.snapshot(await v2.createRun({ workflowId: 'conformance-noop' }))
      const { subject, tenant } = owner as { subject?: Record<string, unknown>; tenant?: unknown }
      check.ok(issuers.includes(String(subject?.issuer)), 'the issuer of the owner')
      check.equal(subject?.tenant, tenant, 'the tenant of the subject')
      check.equal(Object.keys(owner as object).includes('principal'), false, 'there is no principal')
    },
  ),

  scenarioV2(
    'v2-cors-preflight',
    facts,
    'A preflight of a granted origin admits the headers of the protocol',
    async (check, v2) => {
      const asked = ['Authorization', 'Content-Type', 'Idempotency-Key', 'OpenWOP-Version', 'OpenWOP-Dedup']
      const answer = await v2.http('OPTIONS', '/runs', {
        auth: 'none',
        headers: {
          Origin: 'https://app.example',
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': asked.join(', '),
        },
      })
      if (answer.headers.get('access-control-allow-origin') === null) check.inapplicable('the host grants no origin')
      const allowed = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase()
      for (const name of asked) check.ok(allowed === '*' || allowed.includes(name.toLowerCase()), `${name} is allowed`)
    },
  ),
]
