// Rules of the discovery document beyond its required fields: version grammar, root layout, tiers.
import { asArray, at, isObject } from '../harness.ts'
import { scenario } from '../support.ts'

const versionGrammar = /^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$/
const oneYearMs = 366 * 24 * 3_600_000

export const scenarios = [
  scenario('protocol-version-grammar', 'core 26.52, 1', 'Versions are two integers, of major 1', async (check) => {
    const { protocolVersion, protocolVersions } = check.discovery
    check.matches(protocolVersion, versionGrammar, 'protocolVersion')
    check.matches(protocolVersion, /^1\./, 'protocolVersion of a v1 host')
    if (protocolVersions === undefined) return
    check.ok(Array.isArray(protocolVersions), 'protocolVersions is an array')
    for (const version of asArray(protocolVersions)) check.matches(version, versionGrammar, 'a listed version')
    check.ok(asArray(protocolVersions).includes(protocolVersion), 'protocolVersions holds protocolVersion')
  }),

  scenario(
    'discovery-canonical-family-no-shadow',
    'core 26.52, 2.2',
    'A legacy capabilities wrapper holds nothing that the root does not say as well',
    async (check) => {
      const { capabilities } = check.discovery
      if (capabilities === undefined) check.inapplicable('there is no capabilities wrapper')
      check.ok(isObject(capabilities), 'the wrapper is an object')
      for (const [family, value] of Object.entries(capabilities ?? {}))
        check.equal(value, check.discovery[family], `capabilities.${family} and ${family} of the root`)
    },
  ),

  scenario(
    'discovery.tiers',
    'core 2.6',
    'An experimental capability says until when, at most a year ahead',
    async (check) => {
      const families = Object.entries(check.discovery).filter(([, family]) => at(family, 'tier') !== undefined)
      if (families.length === 0) check.inapplicable('no capability carries a tier')
      for (const [name, family] of families) {
        check.oneOf(at(family, 'tier'), ['stable', 'experimental'], `${name}.tier`)
        if (at(family, 'tier') !== 'experimental') continue
        const until = Date.parse(String(at(family, 'experimentalUntil')))
        check.ok(
          until > Date.now() && until < Date.now() + oneYearMs,
          `${name}.experimentalUntil lies within the next year`,
        )
      }
    },
  ),

  scenario(
    'discovery.family-shape',
    'core 2.4',
    'Known families say supported, and use the known names',
    async (check) => {
      const known = ['replay', 'webhooks', 'debugBundle', 'memory', 'secrets', 'production', 'providerUsage']
      const advertised = known.filter((name) => check.family(name) !== undefined)
      if (advertised.length === 0) check.inapplicable('none of them is advertised')
      for (const name of advertised)
        check.ok(typeof check.family(name)?.supported === 'boolean', `${name}.supported is a boolean`)
      for (const mode of asArray(check.family('replay')?.modes))
        check.oneOf(mode, ['replay', 'branch'], 'a replay mode')
      for (const policy of asArray(at(check.family('runs'), 'pauseResume', 'drainPolicies')))
        check.oneOf(policy, ['immediate', 'drain-current-node'], 'a drain policy')
    },
  ),
]
