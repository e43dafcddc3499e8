//! The HTML of the pages, as snapshots of what people read; and hostile names in them.

use clmatch_serve::ServeSettings;

use crate::client::{Server, small_table};

fn server() -> Server {
    Server::with(ServeSettings { version: "0.0.0".to_owned(), ..ServeSettings::default() })
}

#[test]
fn the_pages_are_as_they_were() {
    let server = server();
    for (name, path) in [("home", "/"), ("held", "/datasets/iris"), ("api", "/api"), ("nothing", "/nothing")]
    {
        let body = server.get(path).body.replace(&server.address.to_string(), "ADDRESS");
        insta::assert_snapshot!(name, body);
    }
}

#[test]
fn the_parts_of_the_site_lead_to_each_other() {
    let server = server();
    for path in ["/", "/catalogue", "/benchmark", "/api", "/catalogue/iris", "/datasets/iris"] {
        let page = server.get(path);
        assert_eq!(page.status, 200, "{path}");
        for link in ["href=\"/catalogue\"", "href=\"/benchmark\"", "href=\"/api\"", "src=\"/assets/site.js\""]
        {
            assert!(page.body.contains(link), "{path} lacks {link}");
        }
        // The content security policy would refuse it.
        assert!(!page.body.contains("<script>") && !page.body.contains("style=\""), "{path}");
    }
    let catalogued = server.get("/catalogue/iris").body;
    assert!(catalogued.contains("github.com/hj-n/labeled-datasets") && catalogued.contains("xxh3:"));
    assert_eq!(server.get("/catalogue/none").status, 404);
    assert_eq!(server.get("/catalogue").body.matches("href=\"/catalogue/").count(), 92);
}

#[test]
fn hostile_names_are_shown_as_they_are() {
    let server = server();
    let name = "%3Cscript%3Ealert(1)%22onload%3D%22.csv";
    let table = small_table().replace(",a\n", ",</td><img src=x onerror=alert(1)>\n");
    let kept = server.post(&format!("/api/datasets?name={name}"), table.as_bytes());
    assert_eq!(kept.status, 201, "{kept:?}");
    for kind in ["score", "report", "improve"] {
        let job = server.post(&format!("/api/{kind}?dataset=upload-1"), &[]).json();
        let ended = server.ended(&job);
        assert_eq!(ended["state"], "done", "{ended}");
        let page = server.get(ended["page"].as_str().unwrap()).body;
        assert!(!page.contains("<script>alert") && !page.contains("<img src=x"), "{kind}");
        assert!(!page.contains("style=\""), "{kind}: the policy refuses styles within a page");
    }
    for path in ["/", "/datasets/upload-1"] {
        let page = server.get(path).body;
        assert!(!page.contains("<script>alert") && page.contains("&#60;script"), "{path}");
    }
}
