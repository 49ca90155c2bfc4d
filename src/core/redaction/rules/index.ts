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
import type { SecretRule } from './rule.ts'
import { serviceRules } from './services.ts'
import { tokenRules } from './tokens.ts'

/** All built-in rules, in the order in which they are tried at one position: the first that matches names the secret. */
export const builtInRules: readonly SecretRule[] = [
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
