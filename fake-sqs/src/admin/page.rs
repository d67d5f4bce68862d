//! The page at `/_fake/`: files that are part of the program, for a browser on this machine.
//!
//! The page shows what clients sent, and a client may have sent anything. So the browser is told to
//! run nothing but the page's own files, and to refuse every way of making markup out of text.

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, REFERRER_POLICY, VARY};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use super::only;

/// Where the page is.
pub(crate) const PATH: &str = "/_fake/";

/// What the browser lets the page do.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// One of the page's files.
struct File {
    path: &'static str,
    content_type: &'static str,
    content: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($name:literal: $content_type:expr,)*) => {
        &[$(File {
            path: concat!("/_fake/page/", $name),
            content_type: $content_type,
            content: include_str!(concat!("../page/", $name)),
        },)*]
    };
}

const INDEX: File = File {
    path: PATH,
    content_type: HTML,
    content: include_str!("../page/index.html"),
};

const FILES: &[File] = files! {
    "api.js": SCRIPT,
    "clock.js": SCRIPT,
    "dialog.js": SCRIPT,
    "dom.js": SCRIPT,
    "faults.js": SCRIPT,
    "format.js": SCRIPT,
    "icon.svg": SVG,
    "live.js": SCRIPT,
    "main.js": SCRIPT,
    "messages.js": SCRIPT,
    "names.js": SCRIPT,
    "page.css": CSS,
    "pager.js": SCRIPT,
    "queue.js": SCRIPT,
    "queues.js": SCRIPT,
    "requests.js": SCRIPT,
    "send.js": SCRIPT,
    "trail.js": SCRIPT,
};

/// The page and what it consists of.
pub(super) fn router() -> Router {
    let mut router = Router::new().route(
        "/_fake",
        get(async || redirect(StatusCode::PERMANENT_REDIRECT)).fallback(|| only("GET")),
    );
    for file in [&INDEX].into_iter().chain(FILES) {
        let serve = get(async || file.response()).fallback(|| only("GET"));
        router = router.route(file.path, serve);
    }
    router
}

/// Sends a browser that is pointed at the server itself to the page; `None` for whatever else asks
/// for something. No SQS client asks for HTML.
pub(crate) fn redirect_browser(request: &Parts) -> Option<Response> {
    let asks = matches!(request.method, Method::GET | Method::HEAD)
        && request.uri.path() == "/"
        && request.uri.query().is_none()
        && !request.headers.contains_key(header::AUTHORIZATION)
        && accepts_html(&request.headers);
    asks.then(|| redirect(StatusCode::SEE_OTHER))
}

impl File {
    fn response(&self) -> Response {
        let mut response = Response::new(Body::from(self.content));
        let headers = response.headers_mut();
        let mut set = |name: HeaderName, value| {
            headers.insert(name, HeaderValue::from_static(value));
        };
        set(CONTENT_TYPE, self.content_type);
        // Another version of the program may have this port next.
        set(CACHE_CONTROL, "no-cache");
        set(header::CONTENT_SECURITY_POLICY, POLICY);
        set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        set(header::X_FRAME_OPTIONS, "DENY");
        set(REFERRER_POLICY, "no-referrer");
        set(
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        );
        set(
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        );
        response
    }
}

fn redirect(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(LOCATION, HeaderValue::from_static(PATH));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(VARY, HeaderValue::from_static("Accept"));
    response
}

fn accepts_html(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT).iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|range| {
            let media_type = range.split(';').next().unwrap_or_default().trim();
            media_type.eq_ignore_ascii_case("text/html")
        })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use http::Request;

    use super::*;

    #[test]
    fn every_file_of_the_folder_is_served() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page");
        let there: BTreeSet<String> = fs::read_dir(folder)
            .expect("the page's folder")
            .map(|entry| entry.expect("an entry").file_name())
            .map(|name| name.into_string().expect("UTF-8"))
            .filter(|name| name != "index.html")
            .collect();
        let served: BTreeSet<String> = FILES
            .iter()
            .map(|file| file.path.trim_start_matches("/_fake/page/").to_owned())
            .collect();
        assert_eq!(served, there);
    }

    #[test]
    fn its_lists_are_those_of_the_tables() {
        let names = FILES
            .iter()
            .find(|file| file.path.ends_with("names.js"))
            .expect("the names");
        let listed: BTreeSet<&str> = names
            .content
            .lines()
            .filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","))
            .collect();
        let actions = sqs::Operation::ALL.iter().map(|operation| operation.name());
        let errors = sqs::ErrorCode::ALL.iter().map(|code| code.name());
        assert_eq!(listed, actions.chain(errors).collect());
    }

    /// The browser would refuse these at best, and at worst make markup of what a client sent.
    #[test]
    fn no_script_makes_markup_of_text_and_nothing_comes_from_elsewhere() {
        const NEVER: &[&str] = &[
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "DOMParser",
            "createContextualFragment",
            "srcdoc",
            "eval(",
            "new Function",
            "javascript:",
            "setAttribute(\"style",
            "https://",
            "http://",
            "@import",
        ];
        // A name space is no address that anything is loaded from.
        const NAMES: &str = "http://www.w3.org/2000/svg";
        for file in [&INDEX].into_iter().chain(FILES) {
            let content = file.content.replace(NAMES, "");
            for never in NEVER {
                assert!(!content.contains(never), "{}: {never}", file.path);
            }
        }
        for inline in ["<style", " style=", " onclick=", "<script>"] {
            assert!(!INDEX.content.contains(inline), "{inline}");
        }
    }

    #[test]
    fn a_browser_is_sent_to_the_page_and_nothing_else_is() {
        let sent = |method: Method, target: &str, headers: &[(&str, &str)]| {
            let mut request = Request::builder().method(method).uri(target);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let (parts, ()) = request.body(()).expect("a request").into_parts();
            redirect_browser(&parts).is_some()
        };
        let html = ("accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8");
        assert!(sent(Method::GET, "/", &[html]));
        assert!(sent(Method::HEAD, "/", &[("accept", "*/*, Text/HTML;q=1")]));
        assert!(!sent(Method::GET, "/", &[]));
        assert!(!sent(Method::GET, "/", &[("accept", "*/*")]));
        assert!(!sent(
            Method::GET,
            "/",
            &[("accept", "application/json; v=text/html")]
        ));
        assert!(!sent(Method::POST, "/", &[html]));
        assert!(!sent(Method::GET, "/?X-Amz-Signature=a", &[html]));
        assert!(!sent(Method::GET, "/000000000000/orders", &[html]));
        assert!(!sent(
            Method::GET,
            "/",
            &[html, ("authorization", "AWS4-HMAC-SHA256 …")]
        ));
    }
}
