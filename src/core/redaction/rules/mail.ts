import type { SecretRule } from './rule.ts'

/** Mail delivery and newsletters. */
export const mailRules: readonly SecretRule[] = [
  {
    id: 'sendgrid-key',
    description: 'SendGrid API key',
    example: ['S', 'G.', 'a1B2_'.repeat(4), 'c3.', 'a1B2_'.repeat(8), 'c3D'],
    anchors: ['SG.'],
    pattern: /SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/,
    check: 'mixed',
  },
  {
    id: 'mailgun-key',
    description: 'Mailgun API key',
    example: ['ke', 'y-', 'a1b2'.repeat(8)],
    anchors: ['key-'],
    pattern: /key-(?:[0-9a-f]{32}|[0-9a-z]{32})/,
    check: 'mixed',
  },
  {
    id: 'mailchimp-key',
    description: 'Mailchimp API key',
    example: ['a1b2'.repeat(8), '-u', 's21'],
    anchors: ['-us'],
    before: /[0-9a-f]{32}/,
    pattern: /-us\d{1,2}/,
  },
  {
    id: 'mandrill-key',
    description: 'Mandrill API key',
    example: ['md', '-', 'a1B2_'.repeat(4), 'c3'],
    anchors: ['md-'],
    pattern: /(?<![_-])md-[A-Za-z0-9_]{22}(?![A-Za-z0-9_-])/,
    check: 'mixedCase',
  },
  {
    id: 'brevo-key',
    description: 'Brevo (Sendinblue) API or SMTP key',
    example: ['xke', 'ysib-', 'a1b2'.repeat(16), '-', 'a1B2'.repeat(4)],
    anchors: ['xkeysib-', 'xsmtpsib-'],
    pattern: /x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16,20}/,
  },
  {
    id: 'resend-key',
    description: 'Resend API key',
    example: ['re', '_', 'a1B2c3D4', '_', 'a1B2'.repeat(6)],
    anchors: ['re_'],
    pattern: /re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,32}|re_[A-Za-z0-9]{30,36}/,
    check: 'mixedCase',
  },
  {
    id: 'mailersend-key',
    description: 'MailerSend API token',
    example: ['ml', 'sn.', 'a1b2'.repeat(16)],
    anchors: ['mlsn.'],
    pattern: /mlsn\.[a-f0-9]{64}/,
  },
  {
    id: 'klaviyo-key',
    description: 'Klaviyo private key',
    example: ['pk', '_', 'a1b2c3d4'.repeat(4), 'e5'],
    anchors: ['pk_'],
    pattern: /pk_(?:[a-f0-9]{34}|[A-Za-z0-9]{6}_[a-f0-9]{34})/,
  },
  {
    id: 'customerio-key',
    description: 'Loops, Customer.io or Iterable style key with a vendor prefix',
    example: ['lo', 'op_', 'a1B2'.repeat(9)],
    anchors: ['loop_', 'sa_sk_', 'kit_', 'bird_ak_', 'pm_live_'],
    pattern: /(?:loop|sa_sk|kit|bird_ak|pm_live)_[A-Za-z0-9]{32,}/,
    check: 'mixed',
  },
]
