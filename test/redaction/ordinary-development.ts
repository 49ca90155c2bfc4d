/** Ordinary words and phrases after the name of a secret: what people write about passwords, tokens and keys. */
export const ordinaryAfterName: readonly string[] = `
password: forgotten
password: unchanged since yesterday
password: changed
password: incorrect
password: mandatory
password: (not needed)
password: see the wiki
password: ask Katharina
password: stored in Bitwarden
password: LastPass
password: KeePassXC
password: OnePassword
password: PasswordAuthenticator
password: BCryptPasswordEncoder
password: passwordless
password: alphanumeric, twelve characters
password: Mississippi is not allowed
password = userPassword
password = requirePassword
password = credentialsProvider
password=currentPassword
"password": "required"
"password": "Must be alphanumeric"
"password": "validatePasswordStrength"
passphrase: unnecessary
passphrase: multilingual
passwd: nonexistent
Password policy: strengthened
The password is compromised.
The password is complicated
The password is unbelievably long
My password was rejected twice
The password for the archive is forgotten
the password for the router is underneath it
token: refreshTokenRequest
token: accessTokenResponse
token: AuthorizationCode
token: unauthenticated
token: CancellationToken
token: localStorage
token: sessionStorage
token: Kubernetes
token: invalidated
token: whitespace
token: identifier
token: KeywordOrIdentifier
token: LeftParenthesis
token: HttpOnlyCookie
token: csrfToken
token: XMLHttpRequest
secret: apiKeyAWS
client_secret: GitHubOAuthApp
token: bearer
token: PostgreSQL
token = tokenProvider
token = nextToken
token=placeholder
The token is expired
The token is revoked immediately
the token was successfully exchanged
The token for the pipeline is regenerated weekly
secret: ingredient
secret: confidential
secret: undisclosed
secret: Worcestershire sauce
secret: grandmother's recipe
secret: kubernetes.io/tls
secret: ExternalSecretsOperator
secret: HashiCorp
secret = secretManager
The secret is thoroughly whisking the eggs
The secret was well-kept
client_secret: configured
client_secret: AWSSecretsManager
api_key: environment
api_key: unspecified
api_key: optional
API key: deactivated
API key: responsibly
apiKey: organisation
apiKey: OpenAIProvider
The API key is embedded
credentials: GoogleApplicationDefault
credentials: same-origin
credentials: temporary
auth: OAuthBearer
auth: authenticated
auth: unauthorized
access_token: JsonWebToken
private_key: encrypted
encryption_key: rotated quarterly
license_key: perpetual
pw: unchanged
pw: thoughtful
pwd: workspace
pwd: directory
psk: preshared
password thoroughly changed
password requirements
password strength estimator
password-protected presentations
token bucket algorithm
token classification
secret handshake
secret ingredients
key signature
Passwort: vergessen
Passwort: unveraendert
Passwort: unverändert
Passwort: gesperrt
Passwort: steht im Handbuch
Passwort: Geburtstag
Passwort: Donaudampfschifffahrtsgesellschaft
Passwort: Grundstücksverkehrsgenehmigung
Das Passwort ist abgelaufen
Das Passwort lautet selbstverständlich anders
Das Passwort ist zurückgesetzt worden
Kennwort: zurueckgesetzt
Kennwort: Pfefferminztee
Kennwort vergessen
Kennwort ist abgelaufen
Kennwort: Schlüsselbund
Token: abgelaufen
Token: Schweizerisches Rotes Kreuz
Secret: Betriebsgeheimnis
API-Key: freischalten
Passwort = Benutzereingabe
mot de passe : oublié
mot de passe: inchangé
mot de passe : demandez à Guillaume
mot de passe : obligatoire
mot de passe est expiré
mot de passe: provisoirement
token : renouvelé automatiquement
secret : inavouable
contraseña: olvidada
contraseña: obligatoria
contraseña es incorrecta
contraseña: desconocida
contraseña: murciélago
token: caducado ayer
clave de acceso: pendiente
senha: esquecida
senha: obrigatória
senha: desconhecida
senha é temporária
wachtwoord: vergeten
wachtwoord: onveranderd
wachtwoord: geschreven
wachtwoord is verlopen
wachtwoord: vrachtwagen
password: dimenticata
password: sconosciuta
password: obbligatoria
parola: necunoscută
parola: obligatorie
parola: chiacchierare
lösenord: bortglömt
lösenord: oförändrat
lösenord: återställt
adgangskode: glemt
adgangskode: uændret
adgangskode: nødvendigt
hasło: zapomniane
hasło: niepotrzebne
hasło: wygasło wczoraj
hasło: przypomnienie
hasło: bezpieczeństwo
hasło to tajemnica
heslo: zapomenuté
heslo: nezměněno
heslo: povinné
heslo: bezpečnostní
jelszó: elfelejtett
jelszó: megváltoztatva
jelszó: szükséges
salasana: unohtunut
salasana: vanhentunut
salasana: pakollinen
şifre: unutulmuş
şifre: değiştirilmiş
şifre: zorunludur
пароль: неизвестен
пароль пользователя
パスワード: 変更済み
비밀번호: 변경됨
密码：已过期
口令：每周更换
`
  .trim()
  .split('\n')
