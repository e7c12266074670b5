import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A certificate of 127.0.0.1 that nobody but itself signed, valid for a hundred years, with its key, which protects nothing.
 * As PEM: `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj /CN=localhost -addext
 * subjectAltName=DNS:localhost,IP:127.0.0.1`.
 */
export const testCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUdgCl6QthJvyKtCOcw7m34yC1AgowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNTEzNTg1OVoYDzIxMjYxMTAx
MTM1ODU5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATSewuWKkHkp0kZpJpeqJMES1imRg3ohfBovHBKlX9Gb2DJ6GevtPUZ
w44WaAiwvyX/Cm26Iy4b2fhQRnpEmdMDo28wbTAdBgNVHQ4EFgQUO73Lb2GLRh+P
d7W12OxjV5cNTsAwHwYDVR0jBBgwFoAUO73Lb2GLRh+Pd7W12OxjV5cNTsAwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgSoNza7tw7As/jscxVbtza7bT+4TuUB4f4QnQTK7Y/gcCIQDb
YVSWi2dBxBOdE4WZB86vslAfujl9fi+0BQi0wrnOog==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjJstzpczMUu1wv4F
yxxk2P7VNTfbuX7rg16DP/oG0WShRANCAATSewuWKkHkp0kZpJpeqJMES1imRg3o
hfBovHBKlX9Gb2DJ6GevtPUZw44WaAiwvyX/Cm26Iy4b2fhQRnpEmdMD
-----END PRIVATE KEY-----
`,
}

/** Writes the certificate into a folder; returns nats-server's configuration for it. */
export const tlsConfig = async (
  folder: string,
  { verify }: { readonly verify: boolean },
): Promise<string> => {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  await Promise.all([writeFile(cert, testCertificate.cert), writeFile(key, testCertificate.key)])
  const ours = `cert_file: "${cert}", key_file: "${key}"`
  return `tls { ${ours}${verify ? `, ca_file: "${cert}", verify: true` : ''} }`
}
