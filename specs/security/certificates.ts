import type { CertificatePair } from '@kiroku/doors'

/**
 * Certificates of localhost and 127.0.0.1, each signed by itself and valid for a hundred years, with keys that protect
 * nothing. As PEM: `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days
 * 36500 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1`.
 */
export const certificates = {
  first: {
    cert: `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUAJeYKMy8J89htHc3esfWYyOxVz4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjE0NTYyNloYDzIxMjYxMTAy
MTQ1NjI2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASlzheQgQT6Nht8JDbRADvmN2eMF2APB1B7YOoUmcJVJKwIG8dJhndc
x2dKTk8X7OdS01u1M/xlGPL0jY1lJseao28wbTAdBgNVHQ4EFgQUPao092nGzWgC
rfb2q3zTE6ujCywwHwYDVR0jBBgwFoAUPao092nGzWgCrfb2q3zTE6ujCywwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAKzH+uSuZbj2tbkxkyHmaqIbCR0tLwbUOzE7tQg0OvHDAiEA
7d2aRVF5OjrzbbKF9boDNWwxzxuQ85vYWmw888B1rGw=
-----END CERTIFICATE-----
`,
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgC/oe5JRhH5fF6v1U
McJX5qtP2dtvecSkfGI/Hs0oOTihRANCAASlzheQgQT6Nht8JDbRADvmN2eMF2AP
B1B7YOoUmcJVJKwIG8dJhndcx2dKTk8X7OdS01u1M/xlGPL0jY1lJsea
-----END PRIVATE KEY-----
`,
  },
  renewed: {
    cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUJHkvmMNCbDZ2RUcHupUtkMHwyJkwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjE0NTYyNloYDzIxMjYxMTAy
MTQ1NjI2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASXnEmutjRrpcG2icDYOljuDFueQKQBYWLYJVSoPdk6jWAq6DtIEz6M
+QVoTRDosfZq7k+nY+RzMuvoR7d/34azo28wbTAdBgNVHQ4EFgQUq0I/xoFz1L2i
eyQdDlREUZwcm1owHwYDVR0jBBgwFoAUq0I/xoFz1L2ieyQdDlREUZwcm1owDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgTvVkJOcEtTBh0e7gUWzJwwF0qmovjcvyIGrncU5V/BoCIQDD
qv9j+q/GOe5BEhL2nb2O7OJkN/XusVZ1NLFVjawBeg==
-----END CERTIFICATE-----
`,
    key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJt+PzGCJPTtRmyGX
rj8yF2dmleBX6twTHU4/gEz12nmhRANCAASXnEmutjRrpcG2icDYOljuDFueQKQB
YWLYJVSoPdk6jWAq6DtIEz6M+QVoTRDosfZq7k+nY+RzMuvoR7d/34az
-----END PRIVATE KEY-----
`,
  },
} as const satisfies Record<string, CertificatePair>
