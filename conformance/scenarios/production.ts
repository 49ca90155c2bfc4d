// What only load or a crash shows. It runs last, because the first scenario may use up the key's rate limit.
import { at } from '../harness.ts'
import { scenario, unknownId } from '../support.ts'

const burst = 200

export const scenarios = [
  scenario('stale-claim', 'core 26.52, 22', 'A run survives the process that worked on it', async (check) => {
    if (check.family('production')?.supported !== true) check.inapplicable('production is not advertised')
    check.blocked('needs a host process that can be killed, which this suite does not reach')
  }),

  scenario(
    'rate-limit-envelope',
    'core 26.45',
    'A 429 says when to come back',
    async (check) => {
      const path = `/v1/runs/${unknownId()}`
      const answers = await Promise.all(Array.from({ length: burst }, () => check.http('GET', path)))
      const limited = answers.find(({ status }) => status === 429)
      if (limited === undefined) return check.inapplicable(`${burst} calls at once did not reach a rate limit`)
      check.refused(limited, [429], ['rate_limited'], 'a call over the limit')
      const retryAfter = limited.headers.get('retry-after')
      check.matches(retryAfter, /^\d+$/, 'Retry-After')
      const ms = at(limited.body.details, 'retryAfterMs')
      if (ms !== undefined)
        check.ok(Math.abs(Number(ms) / 1000 - Number(retryAfter)) <= 1, 'details.retryAfterMs agrees with Retry-After')
      const scope = at(limited.body.details, 'scope')
      if (scope !== undefined) check.oneOf(scope, ['tenant', 'route', 'global', 'key'], 'details.scope')
    },
    { isAlone: true },
  ),
]
