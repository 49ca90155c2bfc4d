import { chatRules } from './chat.ts'
import { cloudRules } from './cloud.ts'
import { codeHostRules } from './code-hosts.ts'
import { commandRules } from './commands.ts'
import { databaseRules } from './databases.ts'
import { genericRules } from './generic.ts'
import { mailRules } from './mail.ts'
import { modelRules } from './models.ts'
import { paymentRules } from './payment.ts'
import { privateKeyRules } from './private-keys.ts'
import type { Rule } from './rule.ts'
import { serviceRules } from './services.ts'
import { tokenRules } from './tokens.ts'

/** In the order in which they are asked at one place; the first that finds a secret names it. */
export const rules: readonly Rule[] = [
  ...privateKeyRules,
  ...modelRules,
  ...cloudRules,
  ...codeHostRules,
  ...chatRules,
  ...paymentRules,
  ...mailRules,
  ...serviceRules,
  ...databaseRules,
  ...tokenRules,
  ...commandRules,
  ...genericRules,
]
