// Version 2: the optional seams, which let a suite seed logs, fire effects and mint credentials.
import { at, type Scenario } from '../../harness.ts'
import { scenarioV2 } from '../../v2.ts'

/** What is published names these seams and some of their members, but not what most of them answer. */
const described: Readonly<Record<string, string>> = {
  'v2-fork-a-v1-run': 'A fork of a run from before version 2 keeps its log',
  'v2-effect-identity-business-key': 'A retried effect reaches its provider with the same key',
  'v2-v1-signed-webhook-accepted': 'A delivery with the headers of version 1 is accepted',
  'v2-effect-seam-no-refire': 'A replay does not fire an effect again',
}

export const scenarios: readonly Scenario[] = Object.entries(described).map(([id, title]) =>
  scenarioV2(id, 'v2 14', title, async (check, v2) => {
    const profile = at(v2.discovery, 'conformance', 'seamsProfile')
    if (profile === undefined) check.inapplicable('conformance.seamsProfile is not advertised')
    check.blocked('the answers of these seams are not published')
  }),
)
